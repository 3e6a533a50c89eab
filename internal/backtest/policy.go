package backtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/promise/buffer"
)

// Policy is a buffer policy that can be tried.
type Policy struct {
	Kind       string  `json:"kind"`       // one of Policies
	Share      float64 `json:"share"`      // held back under fixed
	Confidence float64 `json:"confidence"` // of the others
	Floor      float64 `json:"floor"`
	Ceiling    float64 `json:"ceiling"`
}

// Policies are the kinds that can be tried. Two are not Muster's, but to compare with:
// rolling is the plain quantile of healthy counts over 28 days, hindsight the least
// constant that would have kept the wanted share, known only afterwards.
var Policies = []string{"fixed", "rolling", "binomial", "calibrated", "hindsight"}

// ParsePolicy reads KIND or KIND=NUMBER: the share of fixed, the confidence of the others.
func ParsePolicy(text string) (Policy, error) {
	kind, number, given := strings.Cut(text, "=")
	p := Policy{Kind: kind, Confidence: 0.99, Floor: 0.02, Ceiling: 0.3}
	x := 0.15
	if kind != "fixed" {
		x = 0.99
	}
	if given {
		var err error
		if x, err = strconv.ParseFloat(number, 64); err != nil {
			return Policy{}, fmt.Errorf("%q is not a number; write %s=0.15, say", number, kind)
		}
	}
	switch kind {
	case "fixed":
		p = Policy{Kind: kind, Share: x}
		if !(x >= 0 && x <= 1) {
			return Policy{}, fmt.Errorf("fixed=%s: the share is not between 0 and 1", number)
		}
	case "rolling", "binomial", "calibrated", "hindsight":
		p.Confidence = x
		if !(x > 0 && x < 1) {
			return Policy{}, fmt.Errorf("%s=%s: the confidence is not between 0 and 1, as 0.99 is", kind, number)
		}
	default:
		return Policy{}, fmt.Errorf("there is no policy %.40q; known are %s", kind, strings.Join(Policies, ", "))
	}
	return p, nil
}

// String is the policy as ParsePolicy reads it.
func (p Policy) String() string {
	x := p.Confidence
	if p.Kind == "fixed" {
		x = p.Share
	}
	return p.Kind + "=" + strconv.FormatFloat(x, 'f', -1, 64)
}

// issuer makes the promises of one policy on one pool.
type issuer struct {
	policy Policy
	claim  buffer.Claim
	ahead  buffer.Forecast
	roll   *rolling
}

func (p Policy) issuer(horizon, racks int) *issuer {
	is := &issuer{policy: p, claim: buffer.Claim{Confidence: p.Confidence, Floor: p.Floor, Ceiling: p.Ceiling, Horizon: horizon}}
	prior := buffer.Prior{Racks: racks}
	switch p.Kind {
	case "binomial":
		is.ahead = buffer.NewBinomial(is.claim, prior)
	case "calibrated":
		is.ahead = buffer.NewCalibrated(is.claim, prior)
	case "rolling":
		is.roll = &rolling{confidence: p.Confidence}
	}
	return is
}

// promise is how many nodes are promised at the beginning of an hour.
func (is *issuer) promise(h buffer.Hour) int {
	switch {
	case is.ahead != nil:
		return is.claim.Promised(h.Nodes, h.Level, is.ahead.More(h.Nodes))
	case is.roll != nil:
		return is.claim.Promised(h.Nodes, h.Level, max(0, is.roll.down()-h.Level))
	}
	allowed := int(float64(h.Nodes)*(1-is.policy.Share) + 1e-9)
	return min(allowed, h.Nodes-h.Level)
}

func (is *issuer) learn(h buffer.Hour) {
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
