package audit

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzLine reads any text as a line of a log: without the key no line can be made that is
// taken for one that was written.
func FuzzLine(f *testing.F) {
	key := []byte("a key that the writer of the text does not have")
	entry, _ := json.Marshal(Entry{Seq: 1, Kind: Denied, Actor: "user:bob"})
	good, _ := json.Marshal(line{entry, code(key, "", entry)})
	f.Add(good)
	f.Add([]byte(`{"entry":{"seq":1},"code":""}`))
	f.Add([]byte(`{"entry":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, _, why := read(key, "", 1, text)
		var in line
		if why == "" && (json.Unmarshal(text, &in) != nil || !bytes.Equal(in.Entry, entry)) {
			t.Fatalf("%q is taken for an entry: %+v", text, e)
		}
	})
}
