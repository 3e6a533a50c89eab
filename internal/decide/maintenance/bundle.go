package maintenance

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bundle is all that one visit brings to a node (maintenance §1).
type Bundle struct {
	Updates   []string // by name
	Brings    []fleet.Component
	Impact    fleet.Impact  // the gravest that counts
	Lasts     time.Duration // all updates one after another, as measured or as they say
	Freeze    time.Duration // of an impact freeze: how long the node pauses at most; 0: not known
	NotBefore fleet.Instant // the latest
	Deadline  fleet.Instant // the earliest; 0: none
}

// BundleFor puts updates together: those that fit a GPU model and were not withdrawn.
func BundleFor(m *fleet.Maintained, names []string, gpu string) Bundle {
	b := Bundle{Impact: fleet.ImpactNone}
	for _, name := range names {
		u := m.Update(name)
		if u == nil || u.Record.Withdrawn != 0 || !u.Fits(gpu) {
			continue
		}
		b.Updates = append(b.Updates, name)
		b.Brings = append(b.Brings, u.Component)
		b.Lasts += m.LastsOn(u, gpu)
		b.Freeze += u.Freeze
		b.NotBefore = max(b.NotBefore, u.NotBefore)
		if u.Counted().Over(b.Impact) {
			b.Impact = u.Counted()
		}
		if u.Deadline != 0 && (b.Deadline == 0 || u.Deadline < b.Deadline) {
			b.Deadline = u.Deadline
		}
	}
	return b
}

// target is the configuration that a node has after its visit.
type target struct {
	hash   string
	proven bool // nodes with it passed their soak
}

// targetOf is where a bundle leads from what a node of a GPU model runs.
func targetOf(m *fleet.Maintained, gpu string, runs fleet.Runs, b *Bundle) target {
	hash := runs.With(b.Brings...).Hash()
	return target{hash, m.Verdict(gpu, hash) == fleet.Proven}
}

// targets answers targetOf, and keeps the answers: thousands of nodes run a few configurations,
// and a hash costs more than to compare them. It is for one look: verdicts change.
type targets struct{ known []knownTarget }

type knownTarget struct {
	runs fleet.Runs
	b    *Bundle // made for one GPU model, which it stands for here
	to   target
}

// of is targetOf. The latest answers come first: neighbours are mostly alike.
func (t *targets) of(m *fleet.Maintained, gpu string, runs fleet.Runs, b *Bundle) target {
	for i := len(t.known) - 1; i >= 0; i-- {
		if k := &t.known[i]; k.b == b && slices.Equal(k.runs, runs) {
			return k.to
		}
	}
	to := targetOf(m, gpu, runs, b)
	t.known = append(t.known, knownTarget{runs, b, to})
	return to
}
