package keys

import "testing"

// FuzzParse reads any bytes as a block of the file of keys: it is none, or it is no longer than the bytes.
func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add(append([]byte(magic), make([]byte, headBytes)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, n := parse(data)
		if n < 0 || n > len(data) || n > 0 && len(b.keys)%8 != 0 {
			t.Errorf("%d of %d bytes, keys of %d", n, len(data), len(b.keys))
		}
	})
}
