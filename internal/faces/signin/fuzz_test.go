package signin

import (
	"bytes"
	"testing"
)

// FuzzOpen reads any text as a sealed cookie: what this server has not sealed does not open.
func FuzzOpen(f *testing.F) {
	seal, err := sealOf(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		f.Fatal(err)
	}
	other, err := sealOf(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		f.Fatal(err)
	}
	text, err := other.close("session", map[string]string{"user": "ada"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		var into map[string]string
		if seal.open("session", text, &into) == nil {
			t.Fatalf("%q opens as %v", text, into)
		}
	})
}
