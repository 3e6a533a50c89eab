package api

import (
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// walk goes through a decoded message once. It holds lists against their rules, before any entry is looked at, counts
// messages, and sees whether there is text that a terminal may take for a command. What it needs is used again by the next one.
type walk struct {
	messages int
	controls bool     // some text has a control character
	overfull []string // the path of a list with too many entries, the innermost field first; none: there is no such list
	of       protoreflect.FieldDescriptor
	each     func(protoreflect.FieldDescriptor, protoreflect.Value) bool // see, made once
}

var walks = sync.Pool{New: func() any {
	w := &walk{}
	w.each = w.see
	return w
}}

// lookedThrough says how many messages a message has within it, and whether some text has a control character.
func lookedThrough(m protoreflect.Message) (messages int, controls bool, err error) {
	w := walks.Get().(*walk)
	defer walks.Put(w)
	w.messages, w.controls, w.overfull = 0, false, w.overfull[:0]
	m.Range(w.each)
	if len(w.overfull) > 0 {
		slices.Reverse(w.overfull)
		err = overfull(strings.Join(w.overfull, "."), w.of)
	}
	return w.messages, w.controls, err
}

// see looks at one field; false ends the walk.
func (w *walk) see(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	switch {
	case f.IsMap(): // no request has one
	case f.IsList():
		return w.list(f, v.List())
	case f.Message() != nil:
		return w.inside(f, v.Message())
	case f.Kind() == protoreflect.StringKind:
		w.controls = w.controls || hasControl(v.String())
	}
	return true
}

func (w *walk) list(f protoreflect.FieldDescriptor, list protoreflect.List) bool {
	n := list.Len()
	if n > mostOf(f) {
		w.of, w.overfull = f, append(w.overfull, string(f.Name()))
		return false
	}
	for i := 0; i < n && f.Message() != nil; i++ {
		if !w.inside(f, list.Get(i).Message()) {
			return false
		}
	}
	for i := 0; i < n && f.Kind() == protoreflect.StringKind && !w.controls; i++ {
		w.controls = hasControl(list.Get(i).String())
	}
	return true
}

func (w *walk) inside(f protoreflect.FieldDescriptor, m protoreflect.Message) bool {
	w.messages++
	m.Range(w.each)
	if len(w.overfull) > 0 {
		w.overfull = append(w.overfull, string(f.Name()))
		return false
	}
	return true
}

// hasControl says whether a text has a character of which unicode.IsControl is true: up to 0x1f, 0x7f, and 0x80 to
// 0x9f, which UTF-8 writes with 0xc2 before.
func hasControl(text string) bool {
	for i := range len(text) {
		switch b := text[i]; {
		case b < 0x20, b == 0x7f:
			return true
		case b == 0xc2 && i+1 < len(text) && text[i+1] < 0xa0:
			return true
		}
	}
	return false
}
