package buildout

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Lag is how long the cloud's own count may take to hold new scale sets. After it, a
// reservation whose cores the count does not show as a rise ends anyway: others
// may have given back as many meanwhile.
const Lag = time.Hour

// Ledger is what one cloud account has, and who wants it.
type Ledger struct {
	Account string
	Known   bool // the cloud's counts are fresh
	Meters  []MeterLedger
	Claims  []Claim // in order: the first is served first
}

// MeterLedger is one meter of an account, in cores.
type MeterLedger struct {
	Meter                       string
	Limit, Used, Reserved, Free int
}

// LedgerOf draws up the ledger of an account from the clusters that are built in it.
// blueprints are theirs, one for one.
func LedgerOf(account string, a *fleet.CloudAccount, lives []*fleet.Life, blueprints []*fleet.Blueprint, now fleet.Instant) Ledger {
	g := Ledger{Account: account, Known: Counted(a, now)}
	g.count(a, lives)
	g.Claims = make([]Claim, 0, len(lives))
	slab := make([]MeterClaim, 0, 2*len(lives)) // of all claims: most need two meters
	for i, l := range lives {
		if blueprints[i] != nil && l.Course.Retired == 0 {
			g.Claims = append(g.Claims, g.claim(l, blueprints[i], a, &slab))
		}
	}
	slices.SortFunc(g.Claims, func(a, b Claim) int { return inOrder(a.life, b.life) }) // no two have one number
	g.serve()
	return g
}

// Counted says whether the cloud was read not long ago.
func Counted(a *fleet.CloudAccount, now fleet.Instant) bool {
	return a != nil && a.Read != 0 && a.Read.Add(Fresh) >= now
}

// count draws up the meters: what the cloud counts, and what is reserved.
func (g *Ledger) count(a *fleet.CloudAccount, lives []*fleet.Life) {
	if a == nil {
		return
	}
	for _, c := range a.Counts {
		g.Meters = append(g.Meters, MeterLedger{Meter: c.Meter, Limit: c.Limit, Used: c.Used, Free: c.Limit - c.Used})
	}
	for _, l := range lives {
		for _, r := range l.Reserved {
			if at := g.meter(r.Meter); at >= 0 {
				g.Meters[at].Reserved += r.Cores
				g.Meters[at].Free -= r.Cores
			}
		}
	}
}

// inOrder: priority, then wanted-by, then entry.
func inOrder(a, b *fleet.Life) int {
	return cmp.Or(
		cmp.Compare(a.Record.Priority, b.Record.Priority),
		cmp.Compare(wantedBy(a), wantedBy(b)),
		cmp.Compare(a.Number, b.Number))
}

func wantedBy(l *fleet.Life) fleet.Instant {
	if l.Record.WantedBy == 0 {
		return fleet.Never
	}
	return l.Record.WantedBy
}

func (g *Ledger) claim(l *fleet.Life, b *fleet.Blueprint, a *fleet.CloudAccount, slab *[]MeterClaim) Claim {
	from := len(*slab)
	c := Claim{Cluster: l.Record.Name, Known: g.Known, fresh: g.Known, life: l, open: l.Course.Held == 0 && l.Course.Retiring == 0}
	if a != nil {
		c.Read, c.Error, c.Class = a.Read, a.Error, a.Class
	}
	for _, m := range b.Meters {
		at := g.meter(m.Meter)
		is := MeterClaim{Meter: m.Meter, Reserved: l.ReservedOf(m.Meter), Settled: l.Settled[m.Meter], Needs: l.Needs(m), Known: at >= 0, at: at}
		if is.Of.Meter = m.Meter; is.Known {
			is.Of = g.Meters[at]
		}
		c.Known = c.Known && is.Known
		*slab = append(*slab, is)
	}
	c.Meters = (*slab)[from:len(*slab):len(*slab)]
	return c
}

// meter finds a meter's place in the list; -1: the cloud does not count it.
func (g *Ledger) meter(name string) int {
	for i := range g.Meters {
		if g.Meters[i].Meter == name {
			return i
		}
	}
	return -1
}

// serve finds what each claim is short of: what those before it need is kept back for them.
func (g *Ledger) serve() {
	left := make([]int, len(g.Meters))
	for i, m := range g.Meters {
		left[i] = m.Free
	}
	for i := range g.Claims {
		c := &g.Claims[i]
		if !c.open {
			continue
		}
		for j := range c.Meters {
			m := &c.Meters[j]
			if !m.Known {
				continue
			}
			m.Before = m.Of.Free - left[m.at]
			m.Missing = max(0, m.Needs-max(0, left[m.at]))
			left[m.at] -= m.Needs
			m.Enough = m.Of.Limit + max(0, -left[m.at])
		}
	}
}

// ClaimOf is a cluster's place in the ledger.
func (g *Ledger) ClaimOf(cluster string) Claim {
	for i := range g.Claims {
		if g.Claims[i].Cluster == cluster {
			return g.Claims[i]
		}
	}
	return Claim{Cluster: cluster}
}

// ClaimFor is ClaimOf a cluster whose life is at hand, which finds it by its place in the order.
func (g *Ledger) ClaimFor(l *fleet.Life) Claim {
	at, ok := slices.BinarySearchFunc(g.Claims, l, func(c Claim, l *fleet.Life) int { return inOrder(c.life, l) })
	if !ok {
		return Claim{Cluster: l.Record.Name}
	}
	return g.Claims[at]
}

// NotRead is the reason of a cluster whose cores are not known, until the cloud is read.
const NotRead = "NotRead"

// Moved lists the clusters whose place in the ledger is another one than their log says.
func (g *Ledger) Moved() (clusters []string) {
	for i := range g.Claims {
		c := &g.Claims[i]
		if c.life.Course.Retiring != 0 {
			continue
		}
		status, reason := c.stands()
		if was, _ := c.life.Condition(fleet.QuotaAvailable); was.Status != status || was.Reason != reason {
			clusters = append(clusters, c.Cluster)
		}
	}
	return clusters
}

// Grants lists who is given cores now, in order: every meter that a cluster needs at once, or none.
func (g *Ledger) Grants(now fleet.Instant) (list []Grant) {
	for _, c := range g.Claims {
		if !c.open || !c.Known || c.Needs() == 0 || c.Missing() > 0 {
			continue
		}
		grant := Grant{Cluster: c.Cluster}
		for _, m := range c.Meters {
			if m.Needs > 0 {
				grant.Reserved = append(grant.Reserved, fleet.Reservation{Meter: m.Meter, Cores: m.Reserved + m.Needs, At: now, Base: m.Of.Used})
			}
		}
		list = append(list, grant)
	}
	return list
}

// Grant is cores that a cluster is given.
type Grant struct {
	Cluster  string
	Reserved []fleet.Reservation
}

// Release is reservations that end.
type Release struct {
	Cluster string
	Meters  []string
	Settled bool // the cloud counts them as the cluster's own
	Why     string
}

// Release finds a reservation that ends now: one whose cores the cloud counts itself, or,
// where a limit fell below what is promised, the last one that nothing was built on. It asks the
// clusters themselves, so once one has ended it finds the next. What ended is free in a ledger that is
// drawn up after it.
func (g *Ledger) Release() (Release, bool) {
	for _, c := range g.Claims {
		if meters := g.settled(c); len(meters) > 0 {
			return Release{c.Cluster, meters, true, "the cloud counts these cores as used"}, true
		}
	}
	if !g.Known {
		return Release{}, false
	}
	for _, m := range g.Meters {
		if r, over := g.revoked(m); over {
			return r, true
		}
	}
	return Release{}, false
}

// settled lists the meters of a claim whose count, read after the scale sets stood, holds them.
func (g *Ledger) settled(c Claim) (meters []string) {
	made := c.life.Step(fleet.StepScaleSets).Operation
	if made.State != fleet.OperationSucceeded || made.Generation != c.life.Generation || c.Read <= made.Ended || !g.Known {
		return nil
	}
	for _, r := range c.life.Reserved {
		used := 0
		if at := g.meter(r.Meter); at >= 0 {
			used = g.Meters[at].Used
		}
		if used >= r.Base+r.Cores || used >= r.Cores && c.Read >= made.Ended.Add(Lag) {
			meters = append(meters, r.Meter)
		}
	}
	return meters
}

// revoked finds the last cluster in order whose reservation a fallen limit no longer
// covers. One whose scale sets are on their way keeps it: its cores may be taken already.
func (g *Ledger) revoked(m MeterLedger) (Release, bool) {
	if m.Limit-m.Used-g.outstanding(m) >= 0 {
		return Release{}, false
	}
	for _, c := range slices.Backward(g.Claims) {
		if c.life.ReservedOf(m.Meter) == 0 || c.life.Step(fleet.StepScaleSets).Operation.ID != "" {
			continue
		}
		r := Release{Cluster: c.Cluster, Why: "the cloud's limit of " + m.Meter + " fell"}
		for _, x := range c.life.Reserved {
			r.Meters = append(r.Meters, x.Meter)
		}
		return r, true
	}
	return Release{}, false
}

// outstanding is the cores of a meter that are reserved and not in the count already.
func (g *Ledger) outstanding(m MeterLedger) (n int) {
	for _, c := range g.Claims {
		for _, r := range c.life.Reserved {
			if r.Meter != m.Meter {
				continue
			}
			n += r.Cores
			if c.life.Step(fleet.StepScaleSets).Operation.ID != "" {
				n -= min(r.Cores, max(0, m.Used-r.Base))
			}
		}
	}
	return n
}
