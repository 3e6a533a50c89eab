package api

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// MostWaiting is how many workloads one person may have waiting at a time where nothing else is said.
// Each takes about 1.4 kB in each of the states that a server keeps: the one that decides, those that
// readers look at, and those of the past that questions make. Ten times as many of one hostile
// caller took 570 MB.
const MostWaiting = 10_000

// mostKinds is how many kinds of workloads that differ in more than their age one person may have
// waiting. Each decision looks at the first of each kind. Callers that run the fleet are not bounded.
const mostKinds = 1000

// pending bounds how much one person lets wait. It is counted anew once what was submitted
// since the last count matters.
type pending struct {
	mu    sync.Mutex
	left  int
	kinds map[string]bool // that wait, and were submitted since
	since time.Time
}

// recountEvery is how often it is counted anew at most, and only where the last count would refuse.
// It takes a look at every workload, which others wait for.
const recountEvery = time.Second

// pendingOf is what is known of a person's waiting work. No other person waits while it is counted.
func (s *service) pendingOf(user string) *pending {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	if s.waiting.of == nil || len(s.waiting.of) > mostCallers {
		s.waiting.of = map[string]*pending{}
	}
	if s.waiting.of[user] == nil {
		s.waiting.of[user] = &pending{}
	}
	return s.waiting.of[user]
}

// mayWait says whether some more workloads of a caller may wait.
func (s *service) mayWait(c *caller, list ...fleet.Spec) error {
	if c.runsFleet() {
		return nil
	}
	asked, n := map[string]bool{}, 0
	for i := range list {
		asked[kindOf(&list[i])] = true
		n += weightOf(&list[i])
	}
	return s.mayAdd(c, n, asked)
}

// weightOf is as how many a workload counts: each of its pools takes memory as a workload of one pool does.
func weightOf(sp *fleet.Spec) int { return max(1, len(sp.Pools)) }

// mayResize says whether a caller may give a workload another size, which makes it another kind.
func (s *service) mayResize(c *caller, m *musterv1.ResizeRequest) error {
	return s.mayAdd(c, 0, map[string]bool{fmt.Sprintf("%s %s %d-%d", m.GetNamespace(), m.GetPool(), m.GetMin(), m.GetMax()): true})
}

// mayAdd says whether so many more workloads of a caller may wait, with their pools, of some kinds.
func (s *service) mayAdd(c *caller, n int, asked map[string]bool) error {
	if c.runsFleet() {
		return nil
	}
	user := c.actor.User
	p := s.pendingOf(user)
	p.mu.Lock()
	defer p.mu.Unlock()
	if full := p.left < n || p.kindsWith(asked) > mostKinds; p.since.IsZero() || full && time.Since(p.since) > recountEvery {
		p.left, p.kinds = s.waitingOf(user)
		p.since = time.Now()
	}
	switch kinds := p.kindsWith(asked); {
	case p.left < n:
		return tooMuch("%s has %s waiting, of which each pool counts as one; at most %d may wait at a time: submit more once some have started, cancel some, or have the server's --most-waiting raised", user, text.Count(s.mostWaiting-p.left, "workload"), s.mostWaiting)
	case kinds > mostKinds:
		return tooMuch("%s would have %d kinds of workloads waiting, which differ in size, priority or longest runtime; at most %d may wait at a time: let more of them be alike", user, kinds, mostKinds)
	}
	p.left -= n
	maps.Copy(p.kinds, asked)
	return nil
}

// kindsWith is how many kinds would wait with some more.
func (p *pending) kindsWith(asked map[string]bool) (n int) {
	n = len(p.kinds)
	for kind := range asked {
		if !p.kinds[kind] {
			n++
		}
	}
	return n
}

// kindOf is a text for what tells workloads apart that wait in one queue, beside their age.
func kindOf(sp *fleet.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d %d", sp.Namespace, sp.Target, sp.Partition, sp.Priority, sp.MaxRuntime)
	for i := range sp.Pools {
		fmt.Fprintf(&b, " %dx%d-%d %s %d", sp.Pools[i].GPUs, sp.Pools[i].Min, sp.Pools[i].Max, sp.Pools[i].Reach, sp.Pools[i].Rank)
	}
	return b.String()
}

// waitingOf counts the workloads of a person that wait, and says of which kinds they are.
func (s *service) waitingOf(user string) (left int, kinds map[string]bool) {
	left, kinds = s.mostWaiting, map[string]bool{}
	s.engine.Look(func(state *fleet.State) {
		for _, w := range state.Alive() {
			if w.User == user && w.State == fleet.Pending {
				left -= weightOf(&w.Spec)
				kinds[kindOf(&w.Spec)] = true
			}
		}
	})
	return left, kinds
}
