package wire_test

import (
	"slices"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// allowed are the words that the protocol takes in a field.
func allowed(m proto.Message, field protoreflect.Name) []string {
	options := m.ProtoReflect().Descriptor().Fields().ByName(field).Options()
	rules, _ := proto.GetExtension(options, validate.E_Field).(*validate.FieldRules)
	return slices.Sorted(slices.Values(rules.GetString().GetIn()))
}

// The protocol takes exactly the kinds of buffer policies that there are, and to try those
// that have a confidence.
func TestTheProtocolTakesEveryKindOfBufferPolicy(t *testing.T) {
	inForce := []string{""}
	for _, kind := range fleet.BufferKinds() {
		inForce = append(inForce, string(kind))
	}
	tried := slices.DeleteFunc(trial.Kinds(), trial.KeepsShare)
	slices.Sort(inForce)
	slices.Sort(tried)
	if got := allowed(&musterv1.Buffer{}, "kind"); !slices.Equal(got, inForce) {
		t.Errorf("Buffer.kind in proto/muster/v1/fleet.proto takes %q; the kinds are %q", got, inForce)
	}
	if got := allowed(&musterv1.TriedPolicy{}, "kind"); !slices.Equal(got, tried) {
		t.Errorf("TriedPolicy.kind in proto/muster/v1/series.proto takes %q; the kinds are %q", got, tried)
	}
}
