package maintenance

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Code is why a visit waits (maintenance §3). The codes are stable.
type Code string

// The codes, in the order in which they are told.
const (
	Stale             Code = "Stale"
	Unproven          Code = "Unproven"
	Soaking           Code = "Soaking"
	NoFlyZone         Code = "NoFlyZone"
	WouldBreakPromise Code = "WouldBreakPromise"
	Limit             Code = "Limit"
	InUse             Code = "InUse"
	NotBefore         Code = "NotBefore"
	OutOfService      Code = "OutOfService"
)

// Codes lists the codes in the order in which they are told.
func Codes() []Code {
	return []Code{Stale, Unproven, Soaking, NoFlyZone, WouldBreakPromise, Limit, InUse, NotBefore, OutOfService}
}

// Wait is one reason, for so many nodes.
type Wait struct {
	Code  Code
	Nodes int
	Node  string        // the first of them
	Until fleet.Instant // when it should be over; 0: not known
	Zone  string        // of NoFlyZone
	Who   string        // of InUse: namespace/name; of WouldBreakPromise: the quota
	Short int           // of WouldBreakPromise: nodes that are missing

	declared bool // of InUse: Until is when the work said that it would end, and nothing follows from that moment itself
}

// same says whether two reasons are one for people: of one kind, and by the same zone, work or quota.
func (w Wait) same(x Wait) bool { return w.Code == x.Code && w.Zone == x.Zone && w.Who == x.Who }

// By names what holds a visit back: the zone, else the kind of reason.
func (w Wait) By() string {
	if w.Zone != "" {
		return w.Zone
	}
	return string(w.Code)
}

// waits gathers reasons by code, and by zone or quota.
type waits struct{ list []Wait }

func (w *waits) add(x Wait) {
	for i := range w.list {
		was := &w.list[i]
		if was.Code == x.Code && was.Zone == x.Zone && (x.Code != WouldBreakPromise || was.Who == x.Who) {
			was.Nodes++
			if x.Until != 0 && (was.Until == 0 || x.Until < was.Until) {
				was.Until, was.Who = x.Until, x.Who
			}
			return
		}
	}
	x.Nodes = 1
	w.list = append(w.list, x)
}

func (w *waits) sorted() []Wait {
	order := Codes()
	slices.SortStableFunc(w.list, func(a, b Wait) int {
		return cmp.Compare(slices.Index(order, a.Code), slices.Index(order, b.Code))
	})
	return w.list
}
