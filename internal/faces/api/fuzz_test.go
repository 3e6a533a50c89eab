package api

import (
	"net/http"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// FuzzSubmit reads any bytes as a submit, as protobuf and as JSON. Whatever the
// rules let through must reach core as a spec that it can decide without a panic,
// and whatever is wrong must come out as a short refusal that names a place.
func FuzzSubmit(f *testing.F) {
	good := &musterv1.SubmitRequest{
		Write: &musterv1.Write{IdempotencyKey: "k", Reason: "why"},
		Spec: &musterv1.WorkloadSpec{
			Name: "base", Namespace: "oak", Target: "research/oak", Priority: "high",
			Pools: []*musterv1.Pool{{Name: "w", Gpus: 8, Replicas: 2, Reach: "rack"}, {Name: "g", Gpus: 1, Min: 1, Max: 9, Rank: 1}},
		},
	}
	wire, err := proto.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wire)
	f.Add([]byte(protojson.Format(good)))
	f.Add([]byte(`{"spec":{"name":"a","namespace":"b","target":"flex","pools":[{"name":"w","gpus":8,"replicas":1}],"maxRuntime":"-9223372036.854775808s"}}`))
	validator, err := protovalidate.New()
	if err != nil {
		f.Fatal(err)
	}
	state := fuzzedFleet(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte, proto.Message) error{proto.Unmarshal, protojson.Unmarshal} {
			m := &musterv1.SubmitRequest{}
			if read(data, m) == nil {
				tryout(t, validator, state, m)
			}
		}
	})
}

func tryout(t *testing.T, validator protovalidate.Validator, state []byte, m *musterv1.SubmitRequest) {
	t.Helper()
	sp, err := fleet.Spec{}, validator.Validate(m)
	if err == nil {
		sp, err = wire.ReadSpec("spec", m.GetSpec(), core.Actor{Name: "user:ada", User: "ada"})
	}
	if err != nil {
		if e := fail(err); len(e.Details()) == 0 || len(e.Message()) > 4000 {
			t.Fatalf("a mistake became %.500q", e)
		}
		return
	}
	copied := proto.CloneOf(m)
	copied.Write = &musterv1.Write{
		IdempotencyKey: "another", DryRun: m.GetWrite().GetDryRun(),
		ExpectVersion: m.GetWrite().GetExpectVersion(), Reason: m.GetWrite().GetReason(),
	}
	if m.Write != nil && len(m.ProtoReflect().GetUnknown())+len(m.Write.ProtoReflect().GetUnknown()) == 0 && fingerprint(m) != fingerprint(copied) {
		t.Fatal("the key is a part of the fingerprint")
	}
	s, err := fleet.Decode(state)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = core.Step(s, core.Request{Command: core.Submit{Spec: sp}, Actor: core.System}, s.Time+1)
}

func fuzzedFleet(f *testing.F) []byte {
	f.Helper()
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 8, Racks: 2}}},
		core.CreateQuota{Path: "research/oak"},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 32},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, 1); refusal != nil {
			f.Fatal(refusal)
		}
	}
	data, err := s.Encode()
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// FuzzTokens reads any text as a tokens file: it becomes an error that says what
// is wrong, or a list in which no user is found by a token that is not in it.
func FuzzTokens(f *testing.F) {
	sum := "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
	f.Add("- {token_sha256: " + sum + ", user: ada, groups: [post], operator: true}")
	f.Add(`[{"token_sha256": "` + sum + `", "user": "ada"}]`)
	f.Add("- &a {user: *a}")
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := ParseTokens(strings.NewReader(text))
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		r := &http.Request{Header: http.Header{"Authorization": {"Bearer not in any file"}}}
		if who, err := tokens.Identify(r); err == nil {
			t.Fatalf("a token of nobody is that of %q", who.User)
		}
	})
}
