package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Engine is what the crowd needs of an engine.
type Engine interface {
	// Read shows the state; fn keeps and changes nothing of it.
	Read(fn func(s *fleet.State))
}

// Crowd is the people who use the fleet. At its moments (Due) it wants something
// (Act); who drives it does that and lets time pass.
type Crowd struct {
	engine  Engine
	seed    uint64
	pace    func() float64 // how many times slower than in the demo it lives
	members []*member
}

// member is a person who does something again and again.
type member struct {
	name string
	at   fleet.Instant // the next time
	rng  *rand.Rand
	act  func(m *member, s *fleet.State) []core.Request
	wait func(m *member, s *fleet.State) time.Duration
	n    int // how often
}

// NewCrowd is people who begin at a moment. On a fleet that they used before,
// they go on where they were.
func NewCrowd(e Engine, seed uint64, at fleet.Instant) *Crowd {
	c := newCrowd(e, seed, at, func() float64 { return 1 })
	e.Read(func(s *fleet.State) {
		if s.Workload(MoonshotNamespace, Moonshot) == nil {
			c.join(at, s, "moonshot", nil, submitsMoonshot, never)
		}
		c.join(at, s, "plans", nil, plansWork, every(20*time.Second))
	})
	return c
}

// newCrowd is the people without the one who wants the moon and the one who plans work on nodes: no executor works in the past.
func newCrowd(e Engine, seed uint64, at fleet.Instant, pace func() float64) *Crowd {
	c := &Crowd{engine: e, seed: seed, pace: pace}
	e.Read(func(s *fleet.State) {
		for _, t := range teams {
			c.join(at, s, "team "+t.namespace, func(m *member) { m.n = lastNumber(s, t.namespace) }, c.submits(t), t.pause)
		}
		c.join(at.Add(time.Minute), s, "cancels", nil, cancels, every(80*time.Second))
		c.join(at.Add(time.Minute), s, "raises", nil, raises, every(2*time.Minute))
		c.join(at.Add(2*time.Minute), s, "transfers", nil, transfers, every(5*time.Minute))
		c.join(at.Add(3*time.Minute), s, "incidents", nil, incidents, every(4*time.Minute))
		c.join(at.Add(2*time.Minute), s, "monitor", nil, errs, every(5*time.Minute))
		c.join(at.Add(4*time.Minute), s, "resets", nil, resets, every(3*time.Minute))
	})
	return c
}

func (c *Crowd) join(at fleet.Instant, s *fleet.State, name string, prepare func(*member),
	act func(*member, *fleet.State) []core.Request, wait func(*member, *fleet.State) time.Duration,
) {
	m := &member{name: name, at: at, rng: stream(c.seed, name, strconv.FormatUint(s.Seq, 10)), act: act, wait: wait}
	if prepare != nil {
		prepare(m)
	}
	c.members = append(c.members, m)
}

// quiet lets some of the people want nothing any more.
func (c *Crowd) quiet(names ...string) {
	c.members = slices.DeleteFunc(c.members, func(m *member) bool { return slices.Contains(names, m.name) })
}

// Due is when a member wants something next.
func (c *Crowd) Due() fleet.Instant {
	return slices.MinFunc(c.members, sooner).at
}

func sooner(a, b *member) int {
	switch {
	case a.at < b.at:
		return -1
	case a.at > b.at:
		return 1
	}
	return 0
}

// Act is what the member that is due now wants.
func (c *Crowd) Act(now fleet.Instant) (wants []core.Request) {
	c.engine.Read(func(s *fleet.State) {
		for _, m := range c.members {
			if m.at <= now {
				wants = append(wants, m.act(m, s)...)
				m.at = now.Add(slower(m.wait(m, s), c.pace()))
			}
		}
	})
	return wants
}

// Run lets the crowd live in real time until ctx ends. do carries out what it
// wants; that something is refused is part of life.
func (c *Crowd) Run(ctx context.Context, now func() fleet.Instant, do func(context.Context, core.Request) error) error {
	for {
		pause := time.NewTimer(max(0, c.Due().Sub(now())))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil
		case <-pause.C:
		}
		if err := c.Wake(ctx, now(), do); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// Wake does what the member that is due now wants.
func (c *Crowd) Wake(ctx context.Context, now fleet.Instant, do func(context.Context, core.Request) error) error {
	for _, r := range c.Act(now) {
		var no *core.Refusal
		if err := do(ctx, r); err != nil && !errors.As(err, &no) {
			return err
		}
	}
	return nil
}

func user(name string) core.Actor { return core.Actor{Name: "user:" + name, User: name} }

var operator = core.Actor{Name: "operator:olga", User: "olga", Operator: true}

// submits lets a team submit its next workload, unless it has asked for enough.
func (c *Crowd) submits(t team) func(*member, *fleet.State) []core.Request {
	return func(m *member, s *fleet.State) []core.Request {
		next := t.work(c.seed, m.n+1)
		next.MaxRuntime = slower(next.MaxRuntime, c.pace())
		if t.asksFor(s)+gpus(next) > t.limit {
			return nil
		}
		m.n++
		return []core.Request{{Command: core.Submit{Spec: next}, Actor: user(t.user)}}
	}
}

// pause is how long a team thinks before it submits again: not long while it has
// little on the fleet.
func (t team) pause(m *member, s *fleet.State) time.Duration {
	mean := 25 * time.Second
	if t.asksFor(s) < t.limit*6/10 {
		mean = 3 * time.Second
	}
	return time.Duration(m.rng.ExpFloat64() * float64(mean))
}

// asksFor is the GPUs of a team's workloads that have not ended, moonshots aside.
func (t team) asksFor(s *fleet.State) int {
	n := 0
	for _, w := range s.Workloads {
		if w.Namespace == t.namespace && !w.State.Ended() && w.Name != Moonshot {
			n += gpus(w.Spec)
		}
	}
	return n
}

func gpus(s fleet.Spec) int {
	n := 0
	for _, p := range s.Pools {
		n += p.GPUs * (p.Min + p.Max) / 2
	}
	return n
}

// lastNumber is the highest number that a team's workloads bear so far.
func lastNumber(s *fleet.State, namespace string) int {
	last := 0
	for _, w := range s.Workloads {
		if w.Namespace != namespace {
			continue
		}
		_, digits, _ := strings.Cut(w.Name, "-")
		if n, err := strconv.Atoi(digits); err == nil {
			last = max(last, n)
		}
	}
	return last
}

func submitsMoonshot(*member, *fleet.State) []core.Request {
	return []core.Request{{Command: core.Submit{Spec: moonshot()}, Actor: user("mia"), Reason: "the big one"}}
}

func never(*member, *fleet.State) time.Duration { return time.Duration(fleet.Never) / 4 }

func every(mean time.Duration) func(*member, *fleet.State) time.Duration {
	return func(m *member, _ *fleet.State) time.Duration {
		return mean/2 + time.Duration(m.rng.ExpFloat64()*float64(mean)/2)
	}
}

// ours lists the demo's own workloads in some state, in order of submission.
func ours(s *fleet.State, state fleet.WorkloadState) []*fleet.Workload {
	var list []*fleet.Workload
	for _, w := range s.Workloads {
		if w.State != state || w.Name == Moonshot {
			continue
		}
		for _, t := range teams {
			if t.namespace == w.Namespace && t.user == w.User {
				list = append(list, w)
			}
		}
	}
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return int(a.ID) - int(b.ID) })
	return list
}

// cancels lets a member take a workload back.
func cancels(m *member, s *fleet.State) []core.Request {
	states := []fleet.WorkloadState{fleet.Pending, fleet.RunningW}
	list := ours(s, states[m.rng.IntN(len(states))])
	if len(list) == 0 {
		return nil
	}
	w := list[m.rng.IntN(len(list))]
	reasons := []string{"wrong data", "found a mistake", "not needed any more"}
	return []core.Request{{
		Command: core.Cancel{Namespace: w.Namespace, Name: w.Name}, Actor: user(w.User), Reason: reasons[m.rng.IntN(len(reasons))],
	}}
}

// raises lets an operator give the longest waiting workload a higher priority.
func raises(_ *member, s *fleet.State) []core.Request {
	for _, w := range ours(s, fleet.Pending) {
		if w.Priority > fleet.High {
			return []core.Request{{
				Command: core.Prioritise{Namespace: w.Namespace, Name: w.Name, Priority: fleet.High}, Actor: operator, Reason: "deadline",
			}}
		}
	}
	return nil
}

// transfers moves a few nodes between oak and elm, and back the next time. While a haircut is
// planned or in force, its people leave grants to it.
func transfers(m *member, s *fleet.State) []core.Request {
	if len(s.Haircuts) > 0 {
		return nil
	}
	const oak, elm = "research/pretraining/oak", "research/pretraining/elm"
	t := core.Transfer{From: oak, To: elm, Partition: "tiger/h200", GPUs: 8}
	reason := "elm trains first this week"
	if m.n++; m.n%2 == 0 {
		t.From, t.To, reason = elm, oak, "oak gets back what it lent"
	}
	return []core.Request{{Command: t, Actor: operator, Reason: reason}}
}

// incidents opens a sev over two nodes, and closes it the next time.
func incidents(m *member, s *fleet.State) []core.Request {
	if list := closesIncident(s); list != nil {
		return list
	}
	p := s.Partitions[m.rng.IntN(len(s.Partitions))]
	at := m.rng.IntN(len(p.Nodes) - 1)
	names := []string{p.Nodes[at].Name, p.Nodes[at+1].Name}
	name := fmt.Sprintf("sev-%d", len(s.Incidents)+1)
	return []core.Request{
		{Command: core.OpenIncident{Name: name, Scope: p.ID, Severity: "sev3", Nodes: names}, Actor: operator, Reason: "InfiniBand flaps"},
		{Command: core.SetNodes{Names: names, State: fleet.Quarantined, Signal: name}, Actor: operator},
	}
}

// closesIncident lets an operator close the sev that is open; nil: none is.
func closesIncident(s *fleet.State) []core.Request {
	for _, i := range s.Incidents {
		if i.Closed == 0 && strings.HasPrefix(i.Name, "sev-") {
			return []core.Request{
				{Command: core.CloseIncident{Name: i.Name}, Actor: operator, Reason: "cable replaced"},
				{Command: core.SetNodes{Names: i.Nodes, State: fleet.Probation, Signal: "validated after " + i.Name}, Actor: operator},
			}
		}
	}
	return nil
}
