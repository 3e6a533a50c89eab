package chaos_test

import (
	"fmt"
	"math/rand"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// chooser makes the choices of a random script: a seeded generator, or rapid.
type chooser interface {
	// upTo is a number from 0 to n−1.
	upTo(n int) int
}

type seeded struct{ *rand.Rand }

func (s seeded) upTo(n int) int { return s.Intn(n) }

// author writes a script, line by line, with an eye on the world it is played in.
type author struct {
	chooser
	w     *world
	names int
	queue []step // lines that are written already
	calm  bool   // no failures, no changes by people: only work comes and goes

	shares  bool // people share quotas out
	silent  bool // much happens while reports are stale, and nodes are suspect for moments
	tight   bool // pods ask for cores, and pods that are not Muster's take some
	planned bool // updates roll over nodes, zones come and go, providers announce
	learns  bool // operators choose among buffers that learn, too
	taught  bool // the fleet's own buffer may learn

	housed bool // the story plays in a house
	fair   bool // its weather is fine, and its process lives
}

func pick[T any](c chooser, list ...T) T { return list[c.upTo(len(list))] }

func (a *author) chance(percent int) bool { return a.upTo(100) < percent }

var quotaPaths = []string{"a", "a/b", "a/c", "a/c/d", "b", "b/x", "c"}

// learningBuffers are what operators choose from where houses learn, of every kind; the last one dares much.
var learningBuffers = func() (list []fleet.Buffer) {
	for _, kind := range fleet.ShareKinds() {
		for _, share := range []fleet.Permille{0, 100, 250, 500} {
			list = append(list, fleet.Buffer{Kind: kind, Share: share})
		}
	}
	for _, kind := range fleet.LearningKinds() {
		list = append(list, fleet.DefaultBuffer(kind))
	}
	return append(list, fleet.Buffer{Kind: fleet.Calibrated, Confidence: 500, Ceiling: 1000})
}()

// begin writes the fleet and its first grants.
func (a *author) begin() {
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = pick[fleet.Permille](a, 0, 0, 100, 150, 300)
	if a.taught {
		policy.Buffer = pick(a, learningBuffers...)
	}
	policy.Dwell = pick(a, 0, time.Hour, 24*time.Hour)
	policy.Probation = pick(a, time.Hour, 24*time.Hour)
	policy.FlexMinimum = pick(a, 0, 10*time.Minute, 30*time.Minute)
	a.write(core.SetPolicy{Policy: policy})
	a.write(core.AddCluster{Name: "t"})
	partitions := 1 + a.upTo(3)
	if partitions > 1 {
		a.write(core.AddCluster{Name: "u"})
	}
	for i := range partitions {
		cluster, gpu := []string{"t", "u", "t"}[i], []string{"g", "g", "h"}[i]
		a.write(core.AddPartition{Cluster: cluster, GPU: gpu, GPUsPerNode: pick(a, 8, 8, 8, 4)})
		a.write(core.AddIslands{Partition: cluster + "/" + gpu, Islands: a.islands()})
	}
	for range 1 + a.upTo(6) {
		a.write(core.CreateQuota{Path: pick(a, quotaPaths...)})
	}
	for range 2 + a.upTo(8) {
		a.queue = append(a.queue, step{do: nil})
	}
}

func (a *author) write(c core.Command) { a.queue = append(a.queue, step{do: c}) }

func (a *author) islands() []core.NewIsland {
	var list []core.NewIsland
	for i := range 1 + a.upTo(4) {
		list = append(list, core.NewIsland{Name: string(rune('i' + i)), Nodes: 1 + a.upTo(6), Racks: 1 + a.upTo(3)})
	}
	return list
}

// next writes the next line.
func (a *author) next() step {
	if len(a.queue) > 0 {
		st := a.queue[0]
		a.queue = a.queue[1:]
		if st.do == nil && st.trick == none {
			st.do = a.grant()
		}
		return st
	}
	if a.housed {
		return a.chaos()
	}
	st := step{after: a.pause()}
	if a.silent && a.chance(10) {
		st.do = a.reports()
		return st
	}
	if a.planned && a.chance(35) {
		st.do = a.maintains()
		return st
	}
	if a.tight && a.chance(20) {
		a.takesCores(&st)
		return st
	}
	if n := len(a.w.open()); n > 30 {
		st.do = a.cancel()
		return st
	}
	a.line(&st)
	return st
}

func (a *author) pause() time.Duration {
	switch a.upTo(6) {
	case 0, 1:
		return 0
	case 2, 3:
		return time.Duration(1+a.upTo(120)) * time.Second
	case 4:
		return time.Duration(1+a.upTo(60)) * time.Minute
	}
	return time.Duration(1+a.upTo(24*60)) * time.Minute / 2
}

func (a *author) line(st *step) {
	roll := a.upTo(100)
	switch {
	case roll < 45:
		st.do, st.runs = a.submit(), pick(a, 0, 10*time.Minute, time.Hour, 5*time.Hour)
	case roll < 53:
		st.do = a.cancel()
	case roll < 58:
		st.do = a.retarget()
	case roll < 63:
		st.do = a.prioritise()
	case roll < 67:
		st.trick = pick(a, restart, standby, makeTwin, makeTwin)
	case a.calm:
		st.do, st.runs = a.submit(), pick(a, 0, 10*time.Minute, time.Hour, 5*time.Hour)
	case roll < 80:
		st.do = a.nodes()
	case roll < 85:
		st.do = a.grant()
	case roll < 89:
		st.do = a.people()
	case roll < 92:
		st.do = a.operators()
	case roll < 95:
		st.do = a.reports()
	case roll < 97:
		st.do = a.batch()
	case roll < 98:
		st.trick = duplicate
	default:
		st.do = a.nonsense()
	}
}

func (a *author) submit() core.Command {
	a.names++
	spec := fleet.Spec{
		Name: fmt.Sprintf("w%d", a.names), Namespace: pick(a, "ant", "bee", "cat"), Target: a.target(),
		Priority: fleet.Priority(a.upTo(4)), Grace: pick(a, 0, 30*time.Second, 30*time.Second, 5*time.Minute, time.Hour),
		MaxRuntime: pick(a, 0, 0, time.Hour, 5*time.Hour), CheckpointEvery: pick(a, 0, 0, 20*time.Minute),
	}
	if a.chance(30) && len(a.w.s.Partitions) > 0 {
		spec.Partition = a.partition().ID
	}
	for i := range pick(a, 1, 1, 1, 2, 3) {
		spec.Pools = append(spec.Pools, a.pool(fmt.Sprintf("p%d", i)))
	}
	return core.Submit{Spec: spec}
}

func (a *author) pool(name string) fleet.Pool {
	p := fleet.Pool{Name: name, GPUs: pick(a, 8, 8, 8, 4, 4, 2, 1, 3), Rank: pick(a, 0, 0, 0, 1, 2), Reach: fleet.ReachAny}
	if a.tight && a.chance(75) {
		p.Footprint = pick(a, footprints...)
	}
	p.Min = pick(a, 1, 1, 2, 2, 3, 4, 6)
	p.Max = p.Min
	if a.chance(30) {
		p.Elastic = true
		p.Max += a.upTo(6)
		return p
	}
	if p.Min > 1 {
		p.Reach = pick(a, fleet.ReachIsland, fleet.ReachIsland, fleet.ReachRack, fleet.ReachAny)
	}
	return p
}

func (a *author) target() string {
	if a.chance(30) || len(a.w.s.Quotas) == 0 {
		return fleet.Flex
	}
	return pick(a, a.w.s.Quotas...).Path
}

func (a *author) partition() *fleet.Partition { return pick(a, a.w.s.Partitions...) }

// some is a workload that has not ended, if there is one.
func (a *author) some() (namespace, name string) {
	list := a.w.open()
	if len(list) == 0 {
		return "ant", "nobody"
	}
	w := pick(a, list...)
	return w.Namespace, w.Name
}

func (a *author) cancel() core.Command {
	ns, name := a.some()
	return core.Cancel{Namespace: ns, Name: name}
}

func (a *author) retarget() core.Command {
	ns, name := a.some()
	c := core.Retarget{Namespace: ns, Name: name, Target: a.target()}
	if a.chance(30) && len(a.w.s.Partitions) > 0 {
		c.Partition = a.partition().ID
	}
	return c
}

func (a *author) prioritise() core.Command {
	ns, name := a.some()
	return core.Prioritise{Namespace: ns, Name: name, Priority: fleet.Priority(a.upTo(4))}
}

// nodes changes the state of one or a few nodes.
func (a *author) nodes() core.Command {
	p := a.partition()
	if len(p.Nodes) == 0 {
		return core.Tick{}
	}
	c := core.SetNodes{State: fleet.Healthy, Signal: "test"}
	for range pick(a, 1, 1, 1, 2, 3) {
		c.Names = append(c.Names, pick(a, p.Nodes...).Name)
	}
	if a.chance(55) {
		c.State = pick(a, fleet.NodeStates()...)
	}
	if c.State == fleet.Degraded {
		c.Dead = 1 + a.upTo(p.GPUsPerNode-1)
	}
	if a.silent && a.chance(40) {
		c.State, c.Dead = fleet.Suspect, 0
		a.queue = append(a.queue, step{after: a.pause(), do: core.SetNodes{Names: c.Names, State: fleet.Healthy, Signal: "test"}})
	}
	return c
}

func (a *author) grant() core.Command {
	if len(a.w.s.Quotas) == 0 || len(a.w.s.Partitions) == 0 {
		return core.Tick{}
	}
	p, q := a.partition(), pick(a, a.w.s.Quotas...)
	c := core.SetGrant{Quota: q.Path, Partition: p.ID, GPUs: a.upTo(8) * p.GPUsPerNode, Overcommit: a.chance(60)}
	if a.chance(40) {
		c.Gang = a.upTo(c.GPUs + 1)
	}
	c.KeepGang = a.chance(20)
	return c
}

// people do what quota owners do.
func (a *author) people() core.Command {
	if len(a.w.s.Quotas) == 0 {
		return core.CreateQuota{Path: "a"}
	}
	if a.shares && a.chance(70) {
		return a.share()
	}
	p, q, r := a.partition(), pick(a, a.w.s.Quotas...).Path, pick(a, a.w.s.Quotas...).Path
	switch a.upTo(7) {
	case 0, 1, 2:
		return core.Transfer{From: q, To: r, Partition: p.ID, GPUs: (1 + a.upTo(4)) * p.GPUsPerNode}
	case 3:
		return core.PlaceHold{Quota: q, Partition: p.ID, GPUs: (1 + a.upTo(2)) * p.GPUsPerNode, Until: a.w.now.Add(time.Duration(1+a.upTo(10)) * time.Hour)}
	case 4:
		return core.CreateQuota{Path: pick(a, quotaPaths...)}
	case 5:
		return core.DeleteQuota{Path: q}
	}
	return core.SetAccess{Path: q, Access: fleet.Access{Namespaces: pick(a, nil, []string{"ant", "bee"})}}
}

// operators change policies and the fleet.
func (a *author) operators() core.Command {
	p := a.partition()
	switch a.upTo(6) {
	case 0:
		policy := a.w.s.Policy
		policy.Buffer.Share = pick[fleet.Permille](a, 0, 100, 150, 300)
		if a.taught {
			policy.Buffer = pick(a, learningBuffers...)
		}
		policy.Dwell = pick(a, 0, time.Hour, 24*time.Hour)
		policy.FlexMinimum = pick(a, 0, 10*time.Minute, 30*time.Minute)
		policy.Probation = pick(a, time.Hour, 24*time.Hour)
		return core.SetPolicy{Policy: policy}
	case 1, 2:
		scope := pick(a, p.Cluster, p.ID)
		if len(p.Islands) > 0 && a.chance(50) {
			scope = p.ID + "/" + pick(a, p.Islands...).Name
		}
		if a.learns {
			return core.SetBuffer{Scope: scope, Buffer: pick(a, learningBuffers...)}
		}
		return core.SetBuffer{Scope: scope, Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: pick[fleet.Permille](a, 0, 100, 250, 500)}}
	case 3:
		return core.AddIslands{Partition: p.ID, Islands: []core.NewIsland{{Name: pick(a, "a", "i", "j", "z"), Nodes: a.upTo(3), Racks: 1 + a.upTo(2)}}}
	case 4:
		return core.OpenIncident{Name: pick(a, "sev1", "sev2"), Scope: p.ID, Severity: "1"}
	}
	return core.CloseIncident{Name: pick(a, "sev1", "sev2")}
}

// reports stop, and begin again; and a cluster reports what is not waited for.
func (a *author) reports() core.Command {
	switch a.upTo(5) {
	case 0, 1:
		a.queue = append(a.queue, step{after: a.pause(), do: core.Tick{}})
		for a.silent && a.chance(75) {
			do := pick(a, a.grant, a.people, a.nodes, a.nodes, a.submit, a.submit, a.cancel, a.operators)()
			a.queue = append(a.queue, step{after: a.pause(), do: do})
		}
		a.queue = append(a.queue, step{after: a.pause(), do: core.ResumeReports{Cluster: "t"}})
		return core.StopReports{Cluster: "t"}
	case 2:
		return core.ResumeReports{Cluster: pick(a, "t", "u")}
	case 3:
		return core.ReportFinished{ID: uint64(a.upTo(a.names + 2))}
	}
	return core.ReportStopped{ID: uint64(a.upTo(a.names + 2)), Spots: []fleet.Spot{{Pool: a.upTo(3), Nodes: []int{a.upTo(8), a.upTo(8)}}}}
}

func (a *author) batch() core.Command {
	var b core.Batch
	for range a.upTo(4) {
		b.Commands = append(b.Commands, pick(a, a.submit, a.cancel, a.nodes, a.grant, a.people, a.prioritise, a.retarget)())
	}
	return b
}

// nonsense is refused.
func (a *author) nonsense() core.Command {
	p := a.partition()
	switch a.upTo(7) {
	case 0:
		return core.SetGrant{Quota: "a", Partition: p.ID, GPUs: 3}
	case 1:
		return core.SetGrant{Quota: "a", Partition: p.ID, GPUs: 800 * p.GPUsPerNode}
	case 2:
		return core.SetGrant{Quota: "no/such", Partition: p.ID}
	case 3:
		return core.Transfer{From: "a", To: "b", Partition: "no/such", GPUs: 8}
	case 4:
		return core.Cancel{Namespace: "no", Name: "body"}
	case 5:
		return core.SetNodes{Names: []string{"nowhere"}, State: fleet.Healthy}
	}
	return core.Batch{Commands: []core.Command{a.submit(), core.AddCluster{Name: "t"}}}
}
