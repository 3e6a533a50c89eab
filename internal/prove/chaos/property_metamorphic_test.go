package chaos_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Changes of a story that must not change its decisions (semantics §10.10).

// randomScript is a random story, written down, without what happens to
// processes and without reports that name workloads by number.
func randomScript(seed int64) []step {
	w, _ := playRandom(seed, false, sampling{})
	var script []step
	for _, st := range w.script {
		switch st.do.(type) {
		case core.ReportFinished, core.ReportStopped:
			st.do = core.Tick{}
		}
		if st.trick != none {
			st = step{after: st.after, do: core.Tick{}}
		}
		script = append(script, st)
	}
	return script
}

// told plays a story and writes down, after each of its lines, what stands where
// and how. Edit may change a line, or put others before it.
func told(t *testing.T, script []step, partitions string, edit func(w *world, st step) []step) []string {
	t.Helper()
	w := newWorld(sampling{})
	var pictures []string
	for _, line := range script {
		for _, st := range edit(w, line) {
			if f := w.play(st); f != nil {
				t.Logf("a story breaks otherwise: %v", f) // TestRandomFleets is for that
				return make([]string, len(script))
			}
		}
		pictures = append(pictures, picture(w.s, partitions))
	}
	return pictures
}

func unchanged(_ *world, st step) []step { return []step{st} }

// picture shows the partitions whose names contain a text: their backing and
// their work, by name, with nodes by place.
func picture(s *fleet.State, partitions string) string {
	var b strings.Builder
	for _, p := range s.Partitions {
		if !strings.Contains(p.ID, partitions) {
			continue
		}
		fmt.Fprintf(&b, "%s promises %d\n", p.ID, p.Promisable)
		for _, a := range p.Accounts {
			fmt.Fprintf(&b, "%s: %s %v misses %d\n", p.ID, a.Quota, a.Backing, a.GangMissing)
		}
		for i, n := range p.Nodes {
			fmt.Fprintf(&b, "%s: node %d %s\n", p.ID, i, n.State)
		}
	}
	for _, w := range s.Workloads {
		if strings.Contains(w.Where, partitions) && w.Namespace != strangers {
			held, _ := json.Marshal(unnumbered(w.Replicas))
			line := fmt.Sprintf("  %s/%s %s in %q %s %v\n", w.Namespace, w.Name, w.State, w.Where, held, w.Started)
			b.WriteString(line)
		}
	}
	lines := strings.Split(b.String(), "\n")
	sort.Strings(lines) // workloads come in no order
	return strings.Join(lines, "\n")
}

// unnumbered leaves out the numbers of orders: those of records, which any
// command moves.
func unnumbered(held [][]fleet.Replica) [][]fleet.Replica {
	list := make([][]fleet.Replica, len(held))
	for i := range held {
		list[i] = slices.Clone(held[i])
		for j := range list[i] {
			list[i][j].Order = 0
		}
	}
	return list
}

func firstDifference(t *testing.T, seed int64, script []step, a, b []string) {
	t.Helper()
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("seed %d, after line %d (%v):\n%s\nbecame\n%s", seed, i+1, script[i], onlyIn(a[i], b[i]), onlyIn(b[i], a[i]))
			for k, st := range script[:i+1] {
				t.Logf("%3d %v", k+1, st)
			}
			return
		}
	}
}

// onlyIn lists the lines of a that b lacks.
func onlyIn(a, b string) string {
	var list []string
	for _, line := range strings.Split(a, "\n") {
		if !strings.Contains(b, line) {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

// eachStory tries a change on one random story after another.
func eachStory(t *testing.T, try func(seed int64, script []step)) {
	t.Helper()
	seed := *firstFlag
	for last := seed + *worlds/3; seed < last && !t.Failed(); seed++ {
		try(seed, randomScript(seed))
	}
	t.Logf("stories %d to %d", *firstFlag, seed-1)
}

func TestNamesOfNodesDoNotMatter(t *testing.T) {
	t.Parallel()
	eachStory(t, func(seed int64, script []step) {
		was := told(t, script, "/", unchanged)
		for _, name := range []func(string) string{mirrored, scattered} {
			firstDifference(t, seed, script, was, told(t, script, "/", func(w *world, st step) []step {
				st.do = renamedIn(w, st.do, name)
				return []step{st}
			}))
		}
	})
}

func renamedIn(w *world, c core.Command, other func(string) string) core.Command {
	switch c := c.(type) {
	case core.AddIslands:
		list := append([]core.NewIsland(nil), c.Islands...)
		for i, n := range list {
			list[i].Names, list[i].Nodes = otherNames(w, c.Partition, n, other), 0
		}
		return core.AddIslands{Partition: c.Partition, Islands: list}
	case core.SetNodes:
		names := append([]string(nil), c.Names...)
		for i, n := range names {
			names[i] = other(n)
		}
		c.Names = names
		return c
	case core.Batch:
		var b core.Batch
		for _, x := range c.Commands {
			b.Commands = append(b.Commands, renamedIn(w, x, other))
		}
		return b
	}
	return c
}

// otherNames names new nodes as the core would have, and then otherwise.
func otherNames(w *world, partition string, n core.NewIsland, other func(string) string) []string {
	p, have := w.s.Partition(partition), 0
	if p == nil {
		return nil
	}
	if i, ok := p.Island(n.Name); ok {
		have = len(p.Islands[i].Nodes())
	}
	var names []string
	for k := range n.Nodes {
		names = append(names, other(fmt.Sprintf("%s-%s-%s-%03d", p.Cluster, p.GPU, n.Name, have+k+1)))
	}
	return names
}

// mirrored names sort the other way round.
func mirrored(name string) string {
	other := []byte(name)
	for i, b := range other {
		switch {
		case b >= '0' && b <= '9':
			other[i] = '0' + '9' - b
		case b >= 'a' && b <= 'z':
			other[i] = 'a' + 'z' - b
		}
	}
	return string(other)
}

// scattered names sort in no way that has to do with the old ones.
func scattered(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("n%016x", h.Sum64())
}

const strangers = "strangers"

// TestAStrangerChangesNothing: work, quota and failures in a partition of their
// own, added to a story, change no decision in its partitions.
func TestAStrangerChangesNothing(t *testing.T) {
	t.Parallel()
	eachStory(t, func(seed int64, script []step) {
		for i, homes := 0, homesOf(script); i < len(script); i++ {
			script[i].do = pinned(script[i].do, homes, false)
		}
		r := rand.New(rand.NewSource(seed))
		alone := told(t, script, "/", unchanged)
		n := 0
		beside := told(t, script, "/", func(_ *world, st step) []step {
			lines := strangerLines(r, &n)
			// The other tree's work comes first and at the time of the line before, so that
			// the line itself is played last and at its own time.
			return append(lines, st)
		})
		for i := range beside {
			beside[i] = without(beside[i], "z/z")
		}
		firstDifference(t, seed, script, alone, beside)
	})
}

// pinned names a partition wherever the choice is between all of them: flex
// work, which a new partition would concern. Work of a quota chooses where its
// quota has grants, unless all is to be pinned.
func pinned(c core.Command, homes []string, all bool) core.Command {
	home := func(name string) string {
		h := fnv.New32a()
		h.Write([]byte(name))
		return homes[int(h.Sum32())%len(homes)]
	}
	switch c := c.(type) {
	case core.Submit:
		if c.Spec.Partition == "" && (all || c.Spec.Target == fleet.Flex) {
			c.Spec.Partition = home(c.Spec.Name)
		}
		return c
	case core.Retarget:
		if c.Partition == "" && (all || c.Target == fleet.Flex) {
			c.Partition = home(c.Name)
		}
		return c
	case core.Batch:
		var b core.Batch
		for _, x := range c.Commands {
			b.Commands = append(b.Commands, pinned(x, homes, all))
		}
		return b
	}
	return c
}

// homesOf lists the partitions of a story.
func homesOf(script []step) []string {
	var homes []string
	for _, st := range script {
		if c, ok := st.do.(core.AddPartition); ok {
			homes = append(homes, c.Cluster+"/"+c.GPU)
		}
	}
	return homes
}

// without leaves out what a picture shows of one partition.
func without(picture, partition string) string {
	var kept []string
	for _, line := range strings.Split(picture, "\n") {
		if !strings.HasPrefix(line, partition) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// strangerLines add a partition with a quota of its own, and then work there.
func strangerLines(r *rand.Rand, n *int) []step {
	*n++
	if *n == 1 {
		return []step{
			{do: core.AddCluster{Name: "z"}},
			{do: core.AddPartition{Cluster: "z", GPU: "z"}},
			{do: core.AddIslands{Partition: "z/z", Islands: []core.NewIsland{{Name: "i", Nodes: 4}}}},
			{do: core.CreateQuota{Path: "stranger"}},
			{do: core.SetGrant{Quota: "stranger", Partition: "z/z", GPUs: 16}},
		}
	}
	switch r.Intn(9) {
	case 0, 1:
		target := []string{fleet.Flex, "stranger"}[r.Intn(2)]
		c := job(strangers, fmt.Sprint("s", *n), target, fleet.Priority(r.Intn(4)), pool("w", 0, 1+r.Intn(8), 1+r.Intn(3)))
		c.Spec.Partition = "z/z"
		return []step{{do: c, runs: time.Hour}}
	case 2:
		return []step{{do: core.SetNodes{Names: []string{"z-z-i-001"}, State: fleet.NodeStates()[r.Intn(6)]}}}
	case 3:
		return []step{{do: core.SetGrant{Quota: "stranger", Partition: "z/z", GPUs: 8 * r.Intn(5), Overcommit: true}}}
	case 4:
		return []step{{do: []core.Command{core.StopReports{Cluster: "z"}, core.ResumeReports{Cluster: "z"}}[r.Intn(2)]}}
	}
	return nil
}

// TestWhatConcernsDifferentPartitionsAtOneMoment may come in any order.
func TestWhatConcernsDifferentPartitionsAtOneMoment(t *testing.T) {
	t.Parallel()
	moved := 0
	eachStory(t, func(seed int64, script []step) {
		homes := homesOf(script)
		for i := range script {
			script[i].do = pinned(script[i].do, homes, true)
			if len(homes) > 1 && i%3 > 0 {
				script[i].after = 0 // more of it at one moment
			}
		}
		kept := withTicks(script)
		was := atTicks(kept, told(t, kept, "/", unchanged))
		r := rand.New(rand.NewSource(seed))
		for _, rank := range []func(of string, at int) int{backwards(homes), shuffled(r), shuffled(r)} {
			permuted, n := permuted(kept, rank)
			moved += n
			firstDifference(t, seed, kept, was, atTicks(kept, told(t, permuted, "/", unchanged)))
		}
	})
	if moved == 0 {
		t.Error("no story had anything to permute")
	}
	t.Logf("%d lines moved", moved)
}

// atTicks keeps the pictures between two moments: within a moment they differ.
func atTicks(script []step, pictures []string) []string {
	for i, st := range script {
		if _, over := st.do.(core.Tick); !over {
			pictures[i] = ""
		}
	}
	return pictures
}

// backwards ranks the partitions in the opposite of their order.
func backwards(homes []string) func(of string, at int) int {
	return func(of string, _ int) int { return -slices.Index(homes, of) }
}

// shuffled mixes what concerns different partitions in a random way, and keeps the
// order inside each: within a moment a partition's ranks only grow.
func shuffled(r *rand.Rand) func(of string, at int) int {
	last := map[string]int{}
	return func(of string, at int) int {
		last[of] = max(last[of], at) + r.Intn(5)
		return last[of]
	}
}

// permuted puts what concerns different partitions at one moment into the order of
// a rank, and says how many lines stand elsewhere now.
func permuted(script []step, rank func(of string, at int) int) (list []step, moved int) {
	type line struct {
		step
		of   string // the partition it concerns, or ""
		at   int
		rank int
	}
	var lines []line
	where := map[string]string{} // partition of each workload, by namespace/name
	for i, st := range script {
		of := concern(st.do, where)
		lines = append(lines, line{st, of, i, rank(of, i)})
	}
	for from := 0; from < len(lines); {
		to := from + 1
		for lines[from].of != "" && to < len(lines) && lines[to].after == 0 && lines[to].of != "" {
			to++
		}
		run, after := lines[from:to], lines[from].after
		run[0].after = 0
		sort.SliceStable(run, func(i, j int) bool { return run[i].rank < run[j].rank })
		run[0].after = after
		from = to
	}
	for i, l := range lines {
		list = append(list, l.step)
		if l.at != i {
			moved++
		}
	}
	return list, moved
}

// concern is the one partition that a command is about, or "". It remembers
// where workloads were submitted; who was ever retargeted is about none.
func concern(c core.Command, where map[string]string) string {
	switch c := c.(type) {
	case core.Submit:
		name := c.Spec.Namespace + "/" + c.Spec.Name
		if _, known := where[name]; known {
			return "" // a name that is used again
		}
		where[name] = c.Spec.Partition
		return c.Spec.Partition
	case core.Retarget:
		where[c.Namespace+"/"+c.Name] = ""
	case core.Cancel:
		return where[c.Namespace+"/"+c.Name]
	case core.Prioritise:
		return where[c.Namespace+"/"+c.Name]
	case core.SetNodes:
		part := strings.SplitN(c.Names[0], "-", 3)
		for _, n := range c.Names {
			if len(part) < 3 || !strings.HasPrefix(n, part[0]+"-"+part[1]+"-") {
				return ""
			}
		}
		return part[0] + "/" + part[1]
	case core.SetGrant:
		return c.Partition
	}
	return ""
}

// withTicks ends every moment of a script with a tick, so that all that happens
// in it has happened.
func withTicks(script []step) []step {
	var list []step
	for i, st := range script {
		if _, tick := st.do.(core.Tick); !tick {
			list = append(list, st)
		} else if len(list) > 0 && i+1 < len(script) {
			script[i+1].after += st.after
		}
		if i+1 < len(script) && script[i+1].after > 0 {
			list = append(list, step{do: core.Tick{}})
		}
	}
	return list
}
