package api

import (
	"fmt"
	"unicode"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// plain refuses text with characters that control terminals: what one person
// writes is shown on the screens of others. Line breaks and tabs are refused too,
// but for the one field where people write at length, the reason. What monitors
// send is taken as it is, since no signal is ever dropped; it is cleaned when shown.
func plain(m proto.Message) error {
	if _, ok := m.(*musterv1.SendSignalsRequest); ok {
		return nil
	}
	if field, bad := control(m.ProtoReflect(), ""); bad {
		return wire.Wrong(field, "holds a line break or another control character; write plain text")
	}
	return nil
}

// control finds the first field of a message that holds such a character.
func control(m protoreflect.Message, path string) (field string, bad bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + string(f.Name())
		switch {
		case f.IsMap(): // no request has one
		case f.IsList():
			for i := range v.List().Len() {
				if field, bad = controlIn(f, v.List().Get(i), fmt.Sprintf("%s[%d]", at, i)); bad {
					return false
				}
			}
		default:
			field, bad = controlIn(f, v, at)
		}
		return !bad
	})
	return field, bad
}

func controlIn(f protoreflect.FieldDescriptor, v protoreflect.Value, at string) (string, bool) {
	if f.Kind() == protoreflect.MessageKind {
		return control(v.Message(), at+".")
	}
	if f.Kind() != protoreflect.StringKind {
		return "", false
	}
	for _, r := range v.String() {
		if unicode.IsControl(r) && (f.Name() != "reason" || r != '\n' && r != '\t') {
			return at, true
		}
	}
	return "", false
}
