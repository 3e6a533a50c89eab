package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

var errNoJSON = errors.New("its body is no JSON")

// unambiguous refuses a JSON text in which an object has a member twice. Readers take such a text differently: this
// program's maps keep the last member, and an API server puts both together.
func unambiguous(text []byte) error {
	if !json.Valid(text) { // nor is what is nested too deeply
		return errNoJSON
	}
	return each(json.NewDecoder(bytes.NewReader(text)))
}

// each reads one value.
func each(d *json.Decoder) error {
	token, err := d.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			text, _ := name.(string)
			if err != nil || seen[text] {
				return errors.Join(err, fmt.Errorf("its body has %.80q twice", text))
			}
			seen[text] = true
		}
		if err := each(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
