package buildout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Claim is a cluster's place in the ledger.
type Claim struct {
	Cluster string
	Known   bool          // the counts of all its meters are fresh
	Read    fleet.Instant // when they were read
	Error   string        // why they could not be
	Class   fleet.ErrorClass
	Meters  []MeterClaim
	life    *fleet.Life
	fresh   bool // the cloud was read not long ago
	open    bool // it may be given cores now
}

// MeterClaim is what a cluster needs of one meter, in cores.
type MeterClaim struct {
	Meter    string
	Reserved int
	Settled  int // the cloud counts them as the cluster's own
	Needs    int // still to be reserved
	Missing  int // what the cloud must grant beside what it has
	Before   int // what clusters that come first still need: it is kept for them
	Enough   int // the limit that would do, for those that come first, too
	Known    bool
	Of       MeterLedger
	at       int // of the meter in the ledger; -1: the cloud does not count it
}

// Needs is the cores that are still to be reserved, of the meter that needs the most.
func (c *Claim) Needs() (n int) {
	for _, m := range c.Meters {
		n = max(n, m.Needs)
	}
	return n
}

// Missing is the cores that the cloud must grant, of the meter that lacks the most.
func (c *Claim) Missing() (n int) {
	for _, m := range c.Meters {
		n = max(n, m.Missing)
	}
	return n
}

// Reserved is the cores that are reserved, of the meter that has the most.
func (c *Claim) Reserved() (n int) {
	for _, m := range c.Meters {
		n = max(n, m.Reserved)
	}
	return n
}

// Short says of each meter that lacks cores what is missing, and why.
func (c *Claim) Short() (list []string) {
	for _, m := range c.Meters {
		if m.Missing > 0 {
			first := ""
			if m.Before > 0 {
				first = fmt.Sprintf(", kept for clusters that come first %d", m.Before)
			}
			list = append(list, fmt.Sprintf("%s of %s are missing (needed %d, limit %d, used %d, reserved for others %d%s); a limit of %d would do",
				cores(m.Missing), m.Meter, m.Needs, m.Of.Limit, m.Of.Used, m.Of.Reserved, first, m.Enough))
		}
	}
	return list
}

// Wants says whether a cluster still has to reserve cores. One that does not is not
// concerned by what others do in the ledger.
func Wants(l *fleet.Life, b *fleet.Blueprint) bool {
	return b != nil && slices.ContainsFunc(b.Meters, func(m fleet.Meter) bool { return l.Needs(m) > 0 })
}

// stands says whether a cluster has its cores, and why it has not.
func (c *Claim) stands() (fleet.ConditionStatus, string) {
	switch {
	case c.Needs() == 0:
		return fleet.StatusTrue, "Reserved"
	case !c.Known && c.fresh && c.readSince():
		return fleet.StatusFalse, "NoMeter"
	case !c.Known && c.byHand():
		return fleet.StatusFalse, "NotSaid"
	case !c.Known && c.Class.Parks():
		return fleet.StatusUnknown, parkedReason(c.Class)
	case !c.Known:
		return fleet.StatusUnknown, NotRead
	case c.Missing() > 0:
		return fleet.StatusFalse, "Missing"
	}
	return fleet.StatusFalse, "Behind"
}

// readSince says whether the cloud was read since the cluster came to wait for cores. A count of before
// may leave out a meter that no cluster had asked for.
func (c *Claim) readSince() bool {
	was, _ := c.life.Condition(fleet.QuotaAvailable)
	return was.Status != fleet.StatusTrue && c.Read >= max(was.Since, c.life.Entered)
}

// byHand says whether no cloud counts the cores: a person has to say that they are there.
func (c *Claim) byHand() bool {
	return c.life.Record.Provider == fleet.ProviderHand && c.Read == 0 && c.Error == ""
}

// wanted says how many cores of each meter are still needed.
func (c *Claim) wanted() string {
	var list []string
	for _, m := range c.Meters {
		if m.Needs > 0 {
			list = append(list, cores(m.Needs)+" of "+m.Meter)
		}
	}
	return strings.Join(list, ", ")
}

// unknown lists the meters that the cloud does not count.
func (c *Claim) unknown() (meters []string) {
	for _, m := range c.Meters {
		if !m.Known {
			meters = append(meters, m.Meter)
		}
	}
	return meters
}
