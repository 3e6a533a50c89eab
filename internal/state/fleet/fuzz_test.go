package fleet

import "testing"

// FuzzSnapshot reads any bytes as a snapshot: it is refused, or it is a state that can be
// written again.
func FuzzSnapshot(f *testing.F) {
	empty, err := NewState().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(empty)
	f.Add([]byte("{}"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		if _, err := s.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
