package chaos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of what people are told could start now: it starts where it is submitted. A rule that keeps
// work from starting, and that the readers in answer/view do not know, turns them red.

// onceSaid are seeds in which a gang waited that was said to start: it was above its namespace's share, and a smaller one was not (65200265).
var onceSaid = []int64{65200265}

// TestWhatIsSaidToStartNowStarts plays random fleets, some of which share quotas out and some of whose
// clusters are watched only. On forks of some of their states it submits the largest gangs that are said
// to start.
func TestWhatIsSaidToStartNowStarts(t *testing.T) {
	t.Parallel()
	gangs := 0
	play := func(seed int64) bool {
		w, f := playBy(seed, func(a *author) { a.shares = seed%3 == 0 }, sampling{before: 7}, func(w *world, _ *fleet.State, _ core.Outcome) *failure {
			return gangsStart(w, w.steps%5 == 0, &gangs)
		})
		if f != nil {
			t.Errorf("seed %d: %s: %s (after %d steps)", seed, f.rule, f.detail, len(w.script))
		}
		return f == nil || *goOn
	}
	for _, seed := range onceSaid {
		play(seed)
	}
	playSeeds(t, play)
	t.Logf("%d gangs", gangs)
	if gangs < 1000 && *seedFlag == 0 {
		t.Error("too few gangs to say anything")
	}
}

// watch sets the first cluster to mode observe.
func watch(w *world, s *fleet.State) {
	if len(s.Clusters) > 0 {
		core.Step(s, core.Request{Command: core.SetMode{Cluster: s.Clusters[0].Name, Mode: fleet.Observe}, Actor: core.System, Reason: "test"}, w.now)
	}
}

// gangsStart asks what is said to start in each partition.
func gangsStart(w *world, watched bool, gangs *int) *failure {
	s := w.s.Fork()
	if watched {
		watch(w, s)
	}
	for _, p := range s.Partitions {
		if f := gangsStartIn(w, p, gangs); f != nil {
			return f
		}
	}
	return nil
}

// gangsStartIn asks it of one partition: by muster free this namespace, on flex and in each quota; by the
// list of quotas (GANG NOW) one of them.
func gangsStartIn(w *world, p *fleet.Partition, gangs *int) *failure {
	ant := view.Reader{Namespace: "ant"}
	if _, said := w.starts(p, fleet.Flex, view.UsableFlexOf(p, ant, w.now).LargestGang, "ant", gangs); said != "" {
		return &failure{rule: "what is free on flex starts", detail: said}
	}
	for _, a := range p.Accounts {
		if _, said := w.starts(p, a.Quota, view.UsableOf(p, a, ant, w.now).LargestGang, "ant", gangs); said != "" {
			return &failure{rule: "what is free in a quota starts", detail: said}
		}
		listed := view.QuotaAt(p, a.Quota, w.now).LargestGang
		if why, said := w.starts(p, a.Quota, listed, "ant", gangs); said != "" && why != reason.Behind { // the list leaves the queue out
			if why, _ = w.starts(p, a.Quota, listed, "bee", gangs); why != "" && why != reason.Behind {
				return &failure{rule: "GANG NOW starts now", detail: said}
			}
		}
	}
	return nil
}

// starts submits a gang on a fork, into one island and with the highest priority. It says why it waits, if
// it does.
func (w *world) starts(p *fleet.Partition, target string, gang int, namespace string, gangs *int) (reason.Code, string) {
	if gang < p.GPUsPerNode {
		return "", ""
	}
	*gangs++
	own := p.State().Fork()
	spec := fleet.Spec{
		Namespace: namespace, Name: "now", Target: target, Partition: p.ID, Priority: fleet.Critical, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "main", GPUs: p.GPUsPerNode, Min: gang / p.GPUsPerNode, Max: gang / p.GPUsPerNode, Reach: fleet.ReachIsland}},
	}
	out, refusal := core.Step(own, core.Request{Command: core.Submit{Spec: spec}, Actor: core.System, Reason: "test"}, w.now)
	if refusal != nil {
		return reason.Code(refusal.Code), refusal.Error()
	}
	v := own.Workload(namespace, "now")
	if v.State != fleet.Pending || target == fleet.Flex && placesOther(out.Record, v.ID) {
		return "", "" // on flex its coming makes the shares of others smaller, and work that waits may take its room
	}
	why := explain.Why(own, v, w.now)
	return why[0].Code, fmt.Sprintf("%s in %s is said to start a gang of %d GPUs; it waits: %+v\n%s", target, p.ID, gang, why, partitionText(own.Partition(p.ID)))
}

// placesOther says whether a record gives room to other work than this.
func placesOther(r event.Record, id uint64) bool {
	return slices.ContainsFunc(r.Events, func(e event.Event) bool {
		placed, ok := e.(event.ReplicasPlaced)
		return ok && placed.ID != id
	})
}
