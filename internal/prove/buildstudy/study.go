package buildstudy

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Beat is how much virtual time passes between two turns: figures are true to it.
const Beat = 10 * time.Minute

// promise is what was said of a cluster when its building began.
type promise struct{ p50, p90 fleet.Instant }

// study is one run.
type study struct {
	seed     uint64
	now      fleet.Instant
	s        *fleet.State
	world    *simulated.World
	runner   *provision.Runner
	clusters []cluster
	said     map[string]promise
	asked    map[string]fleet.Instant // when a person acts, by cluster and condition
	granted  map[string]bool
	broken   []string // laws that were broken
}

// Run lives 90 days, and as many more as the last cluster needs, at most 30.
func Run(seed uint64) (*Result, error) {
	st := &study{seed: seed, now: start, s: fleet.NewState(), clusters: drawn(seed), said: map[string]promise{}, asked: map[string]fleet.Instant{}, granted: map[string]bool{}}
	st.world = simulated.New(func() fleet.Instant { return st.now })
	st.world.Spread(func(o provision.Order) time.Duration { return takes(seed, o.Record.Name, o.Step, o.Attempt) })
	st.runner = provision.New(provision.Options{
		Read: func(do func(*fleet.State)) { do(st.underway()) }, Providers: map[string]provision.Outside{"simulated": st.world}, Clouds: map[string]provision.Cloud{"simulated": st.world},
		Do: func(_ context.Context, r core.Request) error { return st.do(r) },
	})
	for _, b := range blueprints() {
		if err := st.tell(core.AddBlueprint{Blueprint: b}); err != nil {
			return nil, err
		}
	}
	for end := start.Add((Days + 30) * 24 * time.Hour); st.now < end && !st.done(); st.now = st.now.Add(Beat) {
		if err := st.turn(); err != nil {
			return nil, err
		}
	}
	return st.result(), nil
}

// blueprints are one with a check-in by a person, and one without.
func blueprints() []fleet.Blueprint {
	b := fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}, {Meter: "cores", PerNode: 96}}, Checkin: fleet.CheckinPerson, Takes: typical, Mode: fleet.Shadow,
	}
	i := b
	i.Name, i.Checkin = "nd-inventory", fleet.CheckinInventory
	return []fleet.Blueprint{b, i}
}

// underway is the state without the clusters that the study has done with: those in
// production are looked at no more.
func (st *study) underway() *fleet.State {
	s := fleet.NewState()
	s.Blueprints, s.Accounts = st.s.Blueprints, st.s.Accounts
	for _, l := range st.s.Lives {
		if l.Course.Produced == 0 || len(l.Reserved) > 0 {
			s.AddLife(*l)
		}
	}
	return s
}

// turn is what happens in one beat.
func (st *study) turn() error {
	for i := range st.clusters {
		if err := st.enter(&st.clusters[i]); err != nil {
			return err
		}
	}
	if err := st.runner.Turn(context.Background(), st.now); err != nil {
		return err
	}
	if st.s.NextAlarm() <= st.now {
		if err := st.tell(core.Tick{}); err != nil {
			return err
		}
	}
	return st.people()
}

// enter enters a record in its time, and lets the cloud grant its cores in theirs.
func (st *study) enter(c *cluster) error {
	r := c.record
	if c.entered <= st.now && st.s.Life(r.Name) == nil {
		for _, f := range c.faults {
			st.world.Fault(r.Name, f.step, f.Fault)
		}
		st.raise(r, 0)
		if err := st.tell(core.PlanCluster{Record: r}); err != nil {
			return err
		}
	}
	if c.entered.Add(c.grant) <= st.now && !st.granted[r.Name] {
		st.granted[r.Name] = true
		st.raise(r, 96*r.Nodes())
	}
	return nil
}

// raise lets the cloud grant more to an account.
func (st *study) raise(r fleet.ClusterRecord, more int) {
	counts, _ := st.world.Counts(context.Background(), r.Subscription, r.Region)
	limit := map[string]int{}
	for _, c := range counts {
		limit[c.Meter] = c.Limit
	}
	for _, meter := range []string{"nd", "cores"} {
		st.world.SetCloud(r.Subscription, r.Region, fleet.CloudCount{Meter: meter, Limit: limit[meter] + more})
	}
}

// none asks for no past.
func none(string, fleet.ConditionType) []time.Duration { return nil }

// people do what is asked of them, some working time after they are told.
func (st *study) people() error {
	for _, l := range st.s.Lives {
		if quota, _ := l.Condition(fleet.QuotaAvailable); l.Course.Produced != 0 || quota.Status != fleet.StatusTrue {
			continue
		}
		v := core.LookWith(st.s, l, buildout.Claim{}, none, st.now)
		w := v.Waits()
		if w == nil || !w.Person {
			continue
		}
		key := l.Record.Name + string(w.Type) + fmt.Sprint(w.Try.Tries)
		at, ok := st.asked[key]
		if !ok {
			st.asked[key] = after(st.now, reply(st.seed, l.Record.Name, key))
			continue
		}
		if at > st.now {
			continue
		}
		var c core.Command = core.SteerCluster{Cluster: l.Record.Name, Do: core.Retry}
		if w.Type == fleet.CheckedIn {
			c = core.CheckIn{Cluster: l.Record.Name}
		}
		if err := st.tell(c); err != nil {
			return err
		}
	}
	return nil
}

// done says whether every cluster is in production.
func (st *study) done() bool {
	for _, l := range st.s.Lives {
		if l.Course.Produced == 0 {
			return false
		}
	}
	return len(st.s.Lives) == Records
}

func (st *study) tell(c core.Command) error {
	return st.do(core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}})
}

// do decides, and looks whether the laws hold.
func (st *study) do(r core.Request) error {
	out, refusal := core.Step(st.s, r, st.now)
	if refusal != nil {
		return refusal
	}
	for _, e := range out.Record.Events {
		switch e := e.(type) {
		case event.CoresReserved:
			st.lawful(e)
		case event.ConditionChanged:
			if e.Condition == fleet.QuotaAvailable && e.Status == fleet.StatusTrue {
				v := core.LookWith(st.s, st.s.Life(e.Cluster), buildout.Claim{}, core.LeadsOf(st.s), st.now)
				if _, known := st.said[e.Cluster]; !known && v.InProduct.P90 != 0 {
					st.said[e.Cluster] = promise{v.InProduct.P50, v.InProduct.P90}
				}
			}
		}
	}
	return nil
}

// lawful says that no cores were given that are not free, and none that an earlier
// cluster waits for.
func (st *study) lawful(e event.CoresReserved) {
	g := core.LedgerOf(st.s, st.s.Life(e.Cluster).Record.Account(), st.now)
	free := map[string]int{}
	for _, m := range g.Meters {
		free[m.Meter] = m.Free
		if m.Free < 0 {
			st.broken = append(st.broken, fmt.Sprintf("%s of %s is overdrawn by %d", m.Meter, g.Account, -m.Free))
		}
	}
	for _, c := range g.Claims {
		if c.Cluster == e.Cluster {
			return
		}
		for _, m := range c.Meters {
			if free[m.Meter] -= m.Needs; free[m.Meter] < 0 {
				st.broken = append(st.broken, fmt.Sprintf("%s passed %s on %s of %s", e.Cluster, c.Cluster, m.Meter, g.Account))
				return
			}
		}
	}
}
