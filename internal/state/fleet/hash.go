package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Hash names the state: the first 16 hex digits of the SHA-256 of its encoding. The encoding
// of a large state is tens of megabytes: it is hashed piece by piece, and never there as a whole.
func (s *State) Hash() string {
	sum := sha256.New()
	if err := writeFields(sum, reflect.ValueOf(s).Elem()); err != nil {
		panic(err) // every field of a state can be encoded
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// writeFields writes the fields of a struct as encoding/json does.
func writeFields(w io.Writer, of reflect.Value) error {
	var shown []int
	for i := range of.NumField() {
		name, rule, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		if name != "" && !(rule == "omitempty" && empty(of.Field(i))) {
			shown = append(shown, i)
		}
	}
	return writeAll(w, "{}", len(shown), func(i int) error {
		name, _, _ := strings.Cut(of.Type().Field(shown[i]).Tag.Get("json"), ",")
		if _, err := fmt.Fprintf(w, "%q:", name); err != nil {
			return err
		}
		return writeParts(w, of.Field(shown[i]))
	})
}

// empty says whether encoding/json leaves a field out that may be left out.
func empty(v reflect.Value) bool {
	if k := v.Kind(); k == reflect.Map || k == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

// atOnce is how many parts of a map or a list are encoded at once.
const atOnce = 256

// writeParts writes a value as encoding/json does, of a map or a list some parts at a time.
func writeParts(w io.Writer, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Map && v.Len() > atOnce:
		return writeMap(w, v)
	case v.Kind() == reflect.Slice && v.Len() > atOnce:
		return writeList(w, v)
	}
	data, err := json.Marshal(v.Interface())
	return writeAfter(w, data, err)
}

func writeMap(w io.Writer, v reflect.Value) error {
	type key struct {
		text string // by which encoding/json sorts
		is   reflect.Value
	}
	keys := make([]key, 0, v.Len())
	for _, k := range v.MapKeys() {
		keys = append(keys, key{text: fmt.Sprint(k.Interface()), is: k})
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.text, b.text) })
	return writeChunks(w, "{}", len(keys), func(from, to int) any {
		part := reflect.MakeMapWithSize(v.Type(), to-from)
		for _, k := range keys[from:to] {
			part.SetMapIndex(k.is, v.MapIndex(k.is))
		}
		return part.Interface()
	})
}

func writeList(w io.Writer, v reflect.Value) error {
	return writeChunks(w, "[]", v.Len(), func(from, to int) any { return v.Slice(from, to).Interface() })
}

// writeChunks writes n parts, of which chunk gives some as a map or a list of their own.
func writeChunks(w io.Writer, brackets string, n int, chunk func(from, to int) any) error {
	return writeAll(w, brackets, (n+atOnce-1)/atOnce, func(i int) error {
		data, err := json.Marshal(chunk(i*atOnce, min(n, (i+1)*atOnce)))
		if err != nil {
			return err
		}
		return writeAfter(w, data[1:len(data)-1], nil) // its own brackets are not written
	})
}

// writeAll writes n parts between two brackets, with commas.
func writeAll(w io.Writer, brackets string, n int, part func(int) error) error {
	if _, err := io.WriteString(w, brackets[:1]); err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := part(i); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, brackets[1:])
	return err
}

// writeAfter writes what was encoded, if it was.
func writeAfter(w io.Writer, data []byte, err error) error {
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
