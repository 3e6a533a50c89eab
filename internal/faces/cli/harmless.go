package cli

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/muster-fleet/muster/internal/state/text"
)

// harmless takes from all texts of an answer what could steer the terminal of
// who reads it: monitors and other people wrote them. Lines stay lines only
// where a message is meant to have several.
func harmless(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap(): // figures by name
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				harmless(v.List().Get(i).Message())
			}
		case f.IsList() && f.Kind() == protoreflect.StringKind:
			for i := range v.List().Len() {
				v.List().Set(i, protoreflect.ValueOfString(clean(v.List().Get(i).String())))
			}
		case f.Message() != nil:
			harmless(v.Message())
		case f.Kind() == protoreflect.StringKind && f.Parent().FullName() == "muster.v1.HaircutMessage":
			m.Set(f, protoreflect.ValueOfString(strings.Map(linewise, v.String())))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(clean(v.String())))
		}
		return true
	})
}

// linewise lets lines end, and nothing else be steered.
func linewise(r rune) rune {
	if r == '\n' {
		return r
	}
	return text.Printable(r)
}
