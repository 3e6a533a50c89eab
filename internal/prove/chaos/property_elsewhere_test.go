package chaos_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// annex is a partition beside those of a story, in a cluster of the story, where
// its quotas have grants too.
const annex = "t/z"

// TestWorkElsewhereOfTheSameTeamsChangesNothing: a story is told twice, with a
// partition beside it that stays empty, and with work there of the story's own
// namespaces, for its own quotas and for flex, and with failing nodes. What is
// decided in the story's partitions is the same.
func TestWorkElsewhereOfTheSameTeamsChangesNothing(t *testing.T) {
	t.Parallel()
	started := 0
	eachStory(t, func(seed int64, script []step) {
		script = withAnnex(script)
		empty := told(t, script, "/", unchanged)
		r, n := rand.New(rand.NewSource(seed)), 0
		busy := told(t, script, "/", func(w *world, st step) []step {
			started += inAnnex(w.s)
			return append(annexLines(r, w.s, &n), st)
		})
		for i := range script {
			empty[i], busy[i] = outside(empty[i]), outside(busy[i])
		}
		firstDifference(t, seed, script, empty, busy)
	})
	if started == 0 {
		t.Error("nothing ever ran in the partition beside")
	}
	t.Logf("workloads in the partition beside, summed over all lines: %d", started)
}

// withAnnex adds the partition to a story, with a grant for each quota, and says of
// all work where it runs. Quotas stay: one with work elsewhere cannot be deleted.
func withAnnex(script []step) []step {
	homes := homesOf(script)
	var list []step
	for _, st := range script {
		if _, deletes := st.do.(core.DeleteQuota); deletes {
			st.do = core.Tick{}
		}
		st.do = pinned(st.do, homes, true)
		list = append(list, st)
		switch c := st.do.(type) {
		case core.AddCluster:
			if c.Name == "t" {
				list = append(list, step{do: core.AddPartition{Cluster: "t", GPU: "z"}},
					step{do: core.AddIslands{Partition: annex, Islands: []core.NewIsland{{Name: "i", Nodes: 3}, {Name: "j", Nodes: 2}}}})
			}
		case core.CreateQuota:
			list = append(list, step{do: core.SetGrant{Quota: c.Path, Partition: annex, GPUs: 16, Overcommit: true}})
		}
	}
	return list
}

// annexLines are what happens in the partition beside a story, now and then.
func annexLines(r *rand.Rand, s *fleet.State, n *int) []step {
	if p := s.Partition(annex); p == nil || len(p.Nodes) == 0 {
		return nil
	}
	*n++
	switch r.Intn(6) {
	case 0, 1, 2:
		target := fleet.Flex
		if len(s.Quotas) > 0 && r.Intn(3) > 0 {
			target = s.Quotas[r.Intn(len(s.Quotas))].Path
		}
		space := []string{"ant", "bee", "cat"}[r.Intn(3)]
		c := job(space, fmt.Sprint("s", *n), target, fleet.Priority(r.Intn(4)), pool("w", 0, 1+r.Intn(8), 1+r.Intn(3)), elastic("e", 1, 4, 1, 1+r.Intn(3)))
		c.Spec.Partition = annex
		return []step{{do: c, runs: time.Hour}}
	case 3:
		node := fmt.Sprintf("t-z-i-%03d", 1+r.Intn(3))
		return []step{{do: core.SetNodes{Names: []string{node}, State: fleet.NodeStates()[r.Intn(6)]}}}
	}
	return nil
}

// inAnnex counts the workloads that stand in the partition beside.
func inAnnex(s *fleet.State) int {
	n := 0
	for _, w := range s.Workloads {
		if w.Where == annex && !w.State.Ended() {
			n++
		}
	}
	return n
}

// outside leaves out what a picture shows of the partition beside.
func outside(picture string) string {
	var kept []string
	for _, line := range strings.Split(without(picture, annex), "\n") {
		if !strings.Contains(line, fmt.Sprintf("in %q", annex)) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
