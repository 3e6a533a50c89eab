package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// owed is what the fleet has promised and does not keep now: the first thing on its page.
type owed struct {
	grants    []owedGrant // the one that lacks most first
	more      int         // that are not listed
	unbacked  int         // GPUs, of all
	inPieces  int         // grants whose gang lies in no island whole
	grantedTo int         // grants there are
}

// owedGrant is a grant that is not backed, or not in one piece.
type owedGrant struct {
	quota string
	door  words.Unlisted
	*musterv1.Grant
}

// mostOwed is how many grants are listed.
const mostOwed = 12

// owedOf finds the grants that are not kept.
func owedOf(v *frame.Visit) (owed, error) {
	q, err := v.Quotas.ListQuotas(v.Ctx, &musterv1.ListQuotasRequest{AsOf: v.AsOf})
	var m owed
	for _, one := range q.GetQuotas() {
		for _, g := range one.GetGrants() {
			m.take(owedGrant{one.GetPath(), words.UnlistedOf(one), g})
		}
	}
	slices.SortStableFunc(m.grants, func(a, b owedGrant) int {
		return cmp.Or(cmp.Compare(b.lacks(), a.lacks()), cmp.Compare(a.quota, b.quota))
	})
	if len(m.grants) > mostOwed {
		m.more, m.grants = len(m.grants)-mostOwed, m.grants[:mostOwed]
	}
	return m, err
}

// take counts a grant, and keeps it if it is not kept.
func (m *owed) take(g owedGrant) {
	if g.GetAssigned() > 0 {
		m.grantedTo++
	}
	m.unbacked += int(g.GetUnbacked())
	if g.inPieces() {
		m.inPieces++
	}
	if g.lacks() > 0 {
		m.grants = append(m.grants, g)
	}
}

// inPieces says that the gang of a grant fits into no island that backs it.
func (g owedGrant) inPieces() bool { return g.GetGangMissing() > 0 }

// lacks is how many GPUs are missing: of the grant, or of its gang in one island.
func (g owedGrant) lacks() int { return max(int(g.GetUnbacked()), int(g.GetGangMissing())) }

// says is what is broken, in one sentence; "" where nothing is.
func (m owed) says() string {
	var list []string
	if n := len(m.grants) + m.more; n > 0 && m.unbacked > 0 {
		list = append(list, draw.Count(m.unbacked, "GPU")+" of what was granted are not backed")
	}
	if m.inPieces > 0 {
		list = append(list, draw.Count(m.inPieces, "grant")+" cannot be used in one piece")
	}
	return strings.Join(list, "; ")
}

// uptime is one cluster's targets, with what burned them apart.
type uptime struct {
	cluster      string
	availability *musterv1.Target
	work         *musterv1.Target
	repair       *musterv1.Target
	burned       burned
}

// burned is the share of the time of work that was lost, by who answers for it.
type burned struct {
	hardware, maintenance, evictions float64
	known                            bool
}

// uptimePath is the part of the page that has the targets: the past is read for it.
const uptimePath = "/part/uptime"

// Uptime is that part.
func Uptime(v *frame.Visit) (frame.Page, error) {
	t, err := v.Past.Targets(v.Ctx, &musterv1.TargetsRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	return frame.Page{Part: true, Body: uptimeBody(v, uptimesOf(t.GetTargets()), gapsText(v, t.GetTargets()))}, nil
}

// gapsText says when no server ran, which is not counted; "" where one always did.
func gapsText(v *frame.Visit, list []*musterv1.Target) string {
	if len(list) == 0 || len(list[0].GetCovered().GetGaps()) == 0 {
		return ""
	}
	gaps := list[0].GetCovered().GetGaps()
	var lasted time.Duration
	for _, g := range gaps {
		lasted += g.GetTo().AsTime().Sub(g.GetFrom().AsTime())
	}
	last := gaps[len(gaps)-1]
	return "No server ran for " + parts.Lasted(lasted) + " of that time, the last time from " + parts.Clock(last.GetFrom().AsTime(), v.Now) + " to " +
		parts.Clock(last.GetTo().AsTime(), v.Now) + ": it is not counted."
}

// uptimesOf gathers targets by cluster.
func uptimesOf(list []*musterv1.Target) (rows []uptime) {
	for _, t := range list {
		if n := len(rows); n == 0 || rows[n-1].cluster != t.GetCluster() {
			rows = append(rows, uptime{cluster: t.GetCluster()})
		}
		row := &rows[len(rows)-1]
		switch t.GetWhat() {
		case "availability":
			row.availability = t
		case "uptime":
			row.work, row.burned = t, burnedOf(t)
		case "mttr":
			row.repair = t
		}
	}
	return rows
}

// burnedOf parts what was lost of the time of work into hardware, maintenance and evictions.
// The budget is (1 − target) of all of it, which is how the whole is known.
func burnedOf(t *musterv1.Target) (b burned) {
	if t.GetEmpty() || t.GetTarget() >= 1 || t.GetBudgetGpuHours() <= 0 {
		return b
	}
	whole := t.GetBudgetGpuHours() / (1 - t.GetTarget())
	b.known = true
	for _, by := range t.GetBurnedBy() {
		share := by.GetGpuHours() / whole
		switch {
		case strings.HasPrefix(by.GetCause(), "evicted: "):
			b.evictions += share
		case strings.HasPrefix(by.GetCause(), "maintenance"), strings.HasPrefix(by.GetCause(), "rollout "): // a rollout is named where one took the node
			b.maintenance += share
		default:
			b.hardware += share
		}
	}
	return b
}

// kept is the share of the time of work that neither hardware nor maintenance took: what the
// fleet owes.
func (b burned) kept() float64 { return 1 - b.hardware - b.maintenance }

// percentOf is a share of a figure as a percentage; – where there is nothing to share.
func percentOf(n, of int32) string {
	if of <= 0 {
		return "–"
	}
	return draw.Percent(float64(n) / float64(of))
}

// share writes a share that was lost.
func (b burned) share(lost float64) string {
	if !b.known {
		return "–"
	}
	return draw.Percent(lost)
}

// daysText writes a number of days.
func daysText(days float64) string {
	return parts.Lasted(time.Duration(days * 24 * float64(time.Hour)))
}
