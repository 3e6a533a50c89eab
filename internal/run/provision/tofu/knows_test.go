package tofu_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The projects of a cluster know another once a plan that began after its check-in was empty:
// the apply before says nothing, and a plan with changes says what has to be applied.
func TestProjectsKnowAClusterByALaterPlan(t *testing.T) {
	b := newBench(t)
	b.project("net", `resource "terraform_data" "peers" { input = "puma" }`)
	o := order(1, 1, 1, "net")
	b.run(o)
	s := provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: 1, Done: []fleet.Step{fleet.StepPipeline}}
	since := fleet.InstantOf(b.now)
	b.knows(s, since, true, "")

	b.project("net", `resource "terraform_data" "peers" { input = "puma, wolf" }`)
	b.now = b.now.Add(time.Second)
	b.knows(s, fleet.InstantOf(b.now), false, "project net is not as it was applied")
	b.run(order(2, 1, 1, "net")) // as a person has it applied
	b.now = b.now.Add(provision.LookAgain)
	b.knows(s, since+1, true, "")

	b.project("net", `this is no project`)
	b.now = b.now.Add(time.Second)
	b.knows(s, fleet.InstantOf(b.now), false, "its projects could not be planned: ")
	s.Done = nil
	b.knows(s, since, false, "its pipeline has not ended")
}

// knows waits until the answer is as it should be. The first answer is never a yes that rests on
// the apply.
func (b *bench) knows(s provision.Subject, since fleet.Instant, want bool, says string) {
	b.Helper()
	if known, _ := b.r.Knows(s, since); known {
		b.Error("it is known before a plan could say so")
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		known, missing := b.r.Knows(s, since)
		if known == want && strings.Contains(missing, says) {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("want known %v, %q, got %v, %q", want, says, known, missing)
		}
	}
}
