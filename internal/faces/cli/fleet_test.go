package cli

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Whatever field of the policy has another value, describe fleet shows it.
func TestDescribeFleetHasEachFieldOfThePolicy(t *testing.T) {
	policy := &musterv1.Policy{Idle: &musterv1.Idle{}, TwoPeople: &musterv1.TwoPeople{}, Maintenance: &musterv1.MaintenancePolicy{}, Targets: &musterv1.Targets{}}
	shown := func() string {
		var b strings.Builder
		(&page{Writer: &b}).policy(&musterv1.GetFleetResponse{Policy: policy})
		return b.String()
	}
	without := shown()
	eachField(policy.ProtoReflect(), func(in protoreflect.Message, f protoreflect.FieldDescriptor) {
		if f.Name() == "buffer" {
			return // it has a text of its own
		}
		in.Set(f, sampleOf(t, in, f))
		if shown() == without {
			t.Errorf("%s is set, and nothing shows it:\n%s", f.FullName(), shown())
		}
		in.Clear(f)
	})
}

// eachField visits the fields of a message and of those in it that are set.
func eachField(m protoreflect.Message, visit func(protoreflect.Message, protoreflect.FieldDescriptor)) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if f.Message() != nil && m.Has(f) {
			eachField(m.Get(f).Message(), visit)
			continue
		}
		visit(m, f)
	}
}

// sampleOf is a value of a field that is not its default.
func sampleOf(t *testing.T, in protoreflect.Message, f protoreflect.FieldDescriptor) protoreflect.Value {
	t.Helper()
	switch {
	case f.IsList():
		list := in.NewField(f)
		list.List().Append(protoreflect.ValueOfString("policy"))
		return list
	case f.Message() != nil:
		return protoreflect.ValueOfMessage(durationpb.New(7 * time.Minute).ProtoReflect())
	case f.Kind() == protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case f.Kind() == protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(0.25)
	case f.Kind() == protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(7)
	}
	t.Fatalf("%s is a %s: say here what a value of it is", f.FullName(), f.Kind())
	return protoreflect.Value{}
}
