package compact

import (
	"fmt"
	"reflect"
	"strings"
)

// The kinds of values.
const (
	kindBool    = 'b'
	kindInt     = 'i'
	kindUint    = 'u'
	kindString  = 's'
	kindFloat   = 'f'
	kindPointer = '*'
	kindSlice   = '['
	kindMap     = 'm'
	kindStruct  = '{'
)

// shape describes a type: of, key and fields are set as its kind needs them.
type shape struct {
	kind   byte
	of     *shape // what a pointer points at, or a slice or map holds
	key    *shape
	number int // of a struct, among all structs
	fields []field
}

type field struct {
	name string
	at   int // in the Go type that the shape was made from
	is   *shape
}

// shapes describes types. Structs may contain themselves, so they are numbered.
type shapes struct {
	of      map[reflect.Type]*shape
	structs []*shape
}

// describe is the shape of a type; an error says which part of it is no plain data.
func (s *shapes) describe(t reflect.Type) (*shape, error) {
	if known := s.of[t]; known != nil {
		return known, nil
	}
	d := &shape{kind: kindOf(t)}
	s.of[t] = d
	var err error
	switch d.kind {
	case kindPointer:
		d.of, err = s.describe(t.Elem())
	case kindSlice:
		d.of, err = s.describe(listType(t).Elem())
	case kindMap:
		if d.key, err = s.describe(t.Key()); err == nil {
			d.of, err = s.describe(t.Elem())
		}
	case kindStruct:
		d.number = len(s.structs)
		s.structs = append(s.structs, d)
		d.fields, err = s.fields(t)
	case 0:
		err = fmt.Errorf("%s is no plain data", t)
	}
	return d, err
}

func (s *shapes) fields(t reflect.Type) (list []field, err error) {
	for at, name := range namesOf(t) {
		if name == "" {
			if f := t.Field(at); f.Anonymous && !f.IsExported() && shows(f.Type) {
				return nil, fmt.Errorf("%s: the fields of the embedded %s cannot be reached", t, f.Name)
			}
			continue
		}
		is, err := s.describe(t.Field(at).Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, name, err)
		}
		list = append(list, field{name, at, is})
	}
	if len(list) == 0 && t.NumField() > 0 {
		return nil, fmt.Errorf("%s keeps what it says to itself", t)
	}
	return list, nil
}

// namesOf lists what the fields of a struct are called; "" for those left out.
func namesOf(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || tag == "-":
		case tag != "":
			names[i] = tag
		default:
			names[i] = f.Name
		}
	}
	return names
}

func kindOf(t reflect.Type) byte {
	switch t.Kind() {
	case reflect.Bool:
		return kindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kindInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return kindUint
	case reflect.String:
		return kindString
	case reflect.Float64:
		return kindFloat
	case reflect.Pointer:
		return kindPointer
	case reflect.Slice:
		return kindSlice
	case reflect.Map:
		return kindMap
	case reflect.Struct:
		if listType(t) != t {
			return kindSlice
		}
		return kindStruct
	default:
		return 0
	}
}

// listType is the type of the slice that a list behind a pointer holds; any other type is its own. Such a list is
// a struct of one field, a pointer to a slice with the tag `compact:"list"`: it is written as the slice would be.
func listType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Tag.Get("compact") == "list" {
		return t.Field(0).Type.Elem()
	}
	return t
}

// shows says whether a struct, or one embedded in it, has fields that JSON would write.
func shows(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for at := range t.NumField() {
		f := t.Field(at)
		if f.IsExported() && f.Tag.Get("json") != "-" || f.Anonymous && shows(f.Type) {
			return true
		}
	}
	return false
}
