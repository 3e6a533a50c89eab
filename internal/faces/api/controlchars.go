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
// except in the one field where people write at length, the reason. What monitors
// send is taken as it is, since no signal is ever dropped; it is cleaned when shown.
func plain(m proto.Message) error {
	if _, ok := m.(*musterv1.SendSignalsRequest); ok {
		return nil
	}
	if field, bad := control(m.ProtoReflect()); bad {
		return wire.Wrong(field, "holds a line break or another control character; write plain text")
	}
	return nil
}

// control finds the first field of a message that holds such a character. The path is
// only made for a field that does.
func control(m protoreflect.Message) (field string, bad bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		inside := ""
		switch {
		case f.IsMap(): // no request has one
		case f.IsList():
			for i := 0; i < v.List().Len() && !bad; i++ {
				if inside, bad = controlIn(f, v.List().Get(i)); bad {
					inside = fmt.Sprintf("[%d]%s", i, inside)
				}
			}
		default:
			inside, bad = controlIn(f, v)
		}
		if bad {
			field = string(f.Name()) + inside
		}
		return !bad
	})
	return field, bad
}

func controlIn(f protoreflect.FieldDescriptor, v protoreflect.Value) (inside string, bad bool) {
	if f.Kind() == protoreflect.MessageKind {
		inside, bad = control(v.Message())
		return "." + inside, bad
	}
	if f.Kind() != protoreflect.StringKind {
		return "", false
	}
	for _, r := range v.String() {
		if unicode.IsControl(r) && (f.Name() != "reason" || r != '\n' && r != '\t') {
			return "", true
		}
	}
	return "", false
}
