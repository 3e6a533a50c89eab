package trial

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
)

// Policy is a buffer policy that can be tried: a fleet.Buffer, or of a kind that Muster does
// not have. Its shares are not rounded.
type Policy struct {
	Kind       string  // one of Kinds
	Share      float64 // held back by the kinds that keep one, 0 to 1
	Confidence float64 // of the others, between 0 and 1
	Floor      float64 // the least share that the others hold back,
	Ceiling    float64 // and the largest
}

// Claim is what a policy that keeps no share back claims of its promises over so many hours.
func (p Policy) Claim(horizon int) buffer.Claim {
	return buffer.Claim{Confidence: p.Confidence, Floor: p.Floor, Ceiling: p.Ceiling, Horizon: horizon}
}

// Issuer makes the promises of one policy on one pool.
type Issuer struct {
	policy Policy
	claim  buffer.Claim
	ahead  buffer.Forecast
	roll   *rolling
}

// keeping are the kinds that keep back a share, whatever the past was: allowed says how much.
var keeping = []string{"fixed"}

// KeepsShare says whether policies of a kind have a share, and no confidence.
func KeepsShare(kind string) bool { return slices.Contains(keeping, kind) }

// Kinds lists the kinds of policies that can be tried: a share that is kept back, the
// plain quantile of nodes down over 28 days, and those that forecast.
func Kinds() []string { return slices.Concat(keeping, []string{rollingKind}, buffer.Kinds()) }

// rollingKind is Muster's only on trial.
const rollingKind = "rolling"

// New is an issuer of a pool of so many racks, for promises over so many hours. It
// panics if there is no such kind of policy.
func New(p Policy, horizon, racks int) *Issuer {
	is := &Issuer{policy: p, claim: p.Claim(horizon)}
	switch {
	case KeepsShare(p.Kind):
	case p.Kind == rollingKind:
		is.roll = &rolling{confidence: p.Confidence}
	default:
		is.ahead = buffer.New(p.Kind, is.claim, buffer.Prior{Racks: racks})
	}
	return is
}

// Believe tells a policy that forecasts what is known of nodes of its kind.
func (is *Issuer) Believe(p buffer.Prior) {
	if is.ahead != nil {
		is.ahead.Believe(p)
	}
}

// Promise is how many nodes are promised at the beginning of an hour.
func (is *Issuer) Promise(h buffer.Hour) int {
	switch {
	case is.ahead != nil:
		return is.claim.Promised(h.Nodes, h.Level, is.ahead.Ahead(h.Nodes))
	case is.roll != nil:
		return is.claim.Promised(h.Nodes, h.Level, buffer.Outlook{More: h.Nodes, Most: is.roll.down()})
	}
	return min(is.policy.allowed(h.Nodes), h.Nodes-h.Level)
}

// allowed is what a policy that keeps a share back lets out of so many nodes.
func (p Policy) allowed(nodes int) int { return int(float64(nodes)*(1-p.Share) + 1e-9) }

// Learn takes in an hour that is over.
func (is *Issuer) Learn(h buffer.Hour) {
	switch {
	case is.ahead != nil:
		is.ahead.Learn(h)
	case is.roll != nil:
		is.roll.learn(h)
	}
}

// rolling is the quantile of nodes down over the last 28 days.
type rolling struct {
	confidence float64
	last       []int
	count      map[int]int
}

const rollingHours = 28 * 24

func (r *rolling) learn(h buffer.Hour) {
	if r.count == nil {
		r.count = map[int]int{}
	}
	r.last = append(r.last, h.Level)
	r.count[h.Level]++
	if len(r.last) > rollingHours {
		r.count[r.last[0]]--
		r.last = r.last[1:]
	}
}

func (r *rolling) down() int {
	above := len(r.last)
	for k := 0; ; k++ {
		above -= r.count[k]
		if float64(above) <= (1-r.confidence)*float64(len(r.last)) {
			return k
		}
	}
}

// Rates is the fleet's rate of faults at the end of each day, from all its pools, as
// buffer.FleetRate has it.
func Rates(pools [][]buffer.Hour) []float64 {
	days := 0
	for _, hours := range pools {
		days = max(days, len(hours)/24+1)
	}
	faults, nodeDays := make([]float64, days), make([]float64, days)
	for _, hours := range pools {
		for h, hour := range hours {
			faults[h/24] += float64(hour.Peak - hour.Level)
			nodeDays[h/24] += float64(hour.Nodes) / 24
		}
	}
	out := make([]float64, days)
	f, n := 0.0, 0.0
	for d := range out {
		f, n = f+faults[d], n+nodeDays[d]
		out[d] = buffer.FleetRate(f, n)
	}
	return out
}

// Promises are what a policy promises at each hour of a pool's past, in nodes. The
// fleet's rate of faults until each day may be known besides.
func Promises(p Policy, hours []buffer.Hour, racks int, rates []float64, horizon int) []int {
	is := New(p, horizon, racks)
	out := make([]int, len(hours))
	for t, h := range hours {
		if day := t/24 - 1; t%24 == 0 && day >= 0 && day < len(rates) {
			is.Believe(buffer.Prior{Rate: rates[day], Racks: racks})
		}
		out[t] = is.Promise(h)
		is.Learn(h)
	}
	return out
}
