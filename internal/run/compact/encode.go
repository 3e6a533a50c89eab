package compact

import (
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Encode writes what a pointer points at. Equal values give equal bytes. It fails
// only for types that are no plain data: small floats, arrays, channels, functions,
// interfaces, and structs that show none of their fields, as time.Time.
func Encode(pointer any) ([]byte, error) {
	w, root, err := begin(pointer)
	if err != nil {
		return nil, err
	}
	w.value(root, reflect.ValueOf(pointer).Elem())
	return w.b, nil
}

// Fits says whether what Encode wrote has exactly the fields that a type has today. Else
// another version wrote it: Decode reads it, but what it does not know stays empty.
func Fits(data string, pointer any) bool {
	w, _, err := begin(pointer)
	return err == nil && strings.HasPrefix(data, string(w.b))
}

// begin writes the description.
func begin(pointer any) (*writer, *shape, error) {
	types := &shapes{of: map[reflect.Type]*shape{}}
	root, err := types.describe(reflect.TypeOf(pointer).Elem())
	if err != nil {
		return nil, nil, err
	}
	w := &writer{texts: map[string]uint64{}}
	w.uint(uint64(len(types.structs)))
	for _, d := range types.structs {
		w.uint(uint64(len(d.fields)))
		for _, f := range d.fields {
			w.text(f.name)
			w.shape(f.is)
		}
	}
	w.shape(root)
	return w, root, nil
}

// writer writes. A text is written once, and from then on by its number.
type writer struct {
	b     []byte
	texts map[string]uint64
}

func (w *writer) uint(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *writer) text(s string) {
	if n, known := w.texts[s]; known {
		w.uint(n)
		return
	}
	w.texts[s] = uint64(len(w.texts)) + 1
	w.uint(0)
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) shape(d *shape) {
	w.b = append(w.b, d.kind)
	switch d.kind {
	case kindPointer, kindSlice:
		w.shape(d.of)
	case kindMap:
		w.shape(d.key)
		w.shape(d.of)
	case kindStruct:
		w.uint(uint64(d.number))
	}
}

func (w *writer) value(d *shape, v reflect.Value) {
	switch d.kind {
	case kindBool:
		w.b = append(w.b, 0)
		if v.Bool() {
			w.b[len(w.b)-1] = 1
		}
	case kindInt:
		w.b = binary.AppendVarint(w.b, v.Int())
	case kindUint:
		w.uint(v.Uint())
	case kindString:
		w.text(v.String())
	case kindFloat:
		w.uint(math.Float64bits(v.Float()))
	case kindStruct:
		for _, f := range d.fields {
			w.value(f.is, v.Field(f.at))
		}
	default:
		w.held(d, v)
	}
}

// held writes what may be nil: 0 for that, and else one more than what it holds.
func (w *writer) held(d *shape, v reflect.Value) {
	if v.Kind() == reflect.Struct { // a list behind a pointer
		if v = v.Field(0); !v.IsNil() {
			v = v.Elem()
		}
	}
	switch {
	case v.IsNil():
		w.uint(0)
	case d.kind == kindPointer:
		w.uint(1)
		w.value(d.of, v.Elem())
	case d.kind == kindSlice:
		w.uint(uint64(v.Len()) + 1)
		for i := range v.Len() {
			w.value(d.of, v.Index(i))
		}
	default:
		w.uint(uint64(v.Len()) + 1)
		for _, key := range sortedKeys(v) {
			w.value(d.key, key)
			w.value(d.of, v.MapIndex(key))
		}
	}
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		default:
			return cmp.Compare(a.String(), b.String())
		}
	})
	return keys
}
