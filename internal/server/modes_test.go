package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhatIsWatchedOnlyIsNotDecidedFor sets the modes of a cluster by servers that were
// told to watch it, and to manage it.
func TestWhatIsWatchedOnlyIsNotDecidedFor(t *testing.T) {
	e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	operator := core.Actor{Name: "operator:ops", Operator: true}
	do := func(by guarded, c core.Command) error {
		_, err := by.Do(context.Background(), core.Request{Command: c, Actor: operator, Reason: "the test"})
		return err
	}
	server := func(join joinOptions) guarded {
		s := &server{upOptions: upOptions{Join: &join}}
		s.backend = &backend{reconcilers: &singleCluster{server: s}}
		return guarded{decider{e, metrics.New(e.Read)}, s.watchedOnly, join.Manage}
	}
	watching, managing := server(joinOptions{Name: "tiger"}), server(joinOptions{Name: "tiger", Manage: true})
	for _, c := range []core.Command{core.AddCluster{Name: "tiger", Mode: fleet.Observe}, core.SetMode{Cluster: "tiger", Mode: fleet.Shadow}} {
		if err := do(watching, c); err != nil {
			t.Fatal(err)
		}
	}
	var no *core.Refusal
	if err := do(watching, core.SetMode{Cluster: "tiger", Mode: fleet.Enforce}); !errors.As(err, &no) || !strings.Contains(no.Message, "muster join --manage") {
		t.Errorf("a server that only watches is told: %v", err)
	}
	// Two people change nothing of that: it is barred as soon as it is proposed, and once more when it is approved.
	enforce := core.Propose{Command: core.SetMode{Cluster: "tiger", Mode: fleet.Enforce}}
	if err := do(watching, enforce); !errors.As(err, &no) || no.Code != core.DecidedElsewhere {
		t.Errorf("a server that only watches takes a proposal: %v", err)
	}
	if err := do(managing, core.SetPolicy{Policy: twoForEnforce()}); err != nil {
		t.Fatal(err)
	}
	if err := do(managing, enforce); err != nil {
		t.Fatal(err)
	}
	answer := func(by guarded) error {
		second := core.Actor{Name: "user:ada", Operator: true, Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}, User: "ada"}
		_, err := by.Do(context.Background(), core.Request{Command: core.AnswerProposal{ID: 1, Approve: true}, Actor: second, Reason: "the test"})
		return err
	}
	if err := answer(watching); !errors.As(err, &no) || no.Code != core.DecidedElsewhere {
		t.Errorf("a server that only watches has a proposal approved: %v", err)
	}
	if err := answer(managing); err != nil {
		t.Error(err)
	}
	submit := core.Submit{Spec: fleet.Spec{Name: "a", Namespace: "oak", Target: fleet.Flex, Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1}}}}
	for _, c := range []core.Command{submit, core.Batch{Commands: []core.Command{submit}}} {
		if err := do(managing, c); !errors.As(err, &no) || !strings.Contains(no.Message, "muster.dev/target") {
			t.Errorf("%T: a workload without pods would hold GPUs for ever: %v", c, err)
		}
	}
	if err := do(watching, core.SetMode{Cluster: "tiger", Mode: fleet.Observe}); err != nil {
		t.Error("back it goes at once, by whatever server:", err)
	}
}

// twoForEnforce is a policy by which mode enforce takes two people.
func twoForEnforce() fleet.Policy {
	p := fleet.NewState().Policy
	p.TwoPeople.Enforce = true
	return p
}
