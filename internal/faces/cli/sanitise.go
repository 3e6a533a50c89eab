package cli

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/muster-fleet/muster/internal/state/text"
)

// sanitise blanks the control characters in all texts of an answer: monitors and other
// people wrote them, and a terminal would obey them. Line breaks stay only in the
// messages that are meant to have several lines.
func sanitise(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap(): // figures by name
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				sanitise(v.List().Get(i).Message())
			}
		case f.IsList() && f.Kind() == protoreflect.StringKind:
			for i := range v.List().Len() {
				v.List().Set(i, protoreflect.ValueOfString(clean(v.List().Get(i).String())))
			}
		case f.Message() != nil:
			sanitise(v.Message())
		case f.Kind() == protoreflect.StringKind && severalLines[f.Parent().FullName()]:
			m.Set(f, protoreflect.ValueOfString(strings.Map(safeLine, v.String())))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(clean(v.String())))
		}
		return true
	})
}

// severalLines are the messages whose texts have line breaks.
var severalLines = map[protoreflect.FullName]bool{"muster.v1.HaircutMessage": true, "muster.v1.GetClusterLogResponse": true}

// safeLine keeps line breaks, and blanks what text.SafeRune blanks.
func safeLine(r rune) rune {
	if r == '\n' {
		return r
	}
	return text.SafeRune(r)
}
