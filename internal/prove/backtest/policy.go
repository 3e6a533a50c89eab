package backtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Policy is a buffer policy that can be tried.
type Policy struct {
	Kind       string  `json:"kind"`       // one of Policies
	Share      float64 `json:"share"`      // held back by the kinds that keep one
	Confidence float64 `json:"confidence"` // of the others
	Floor      float64 `json:"floor"`
	Ceiling    float64 `json:"ceiling"`
}

// hindsightKind is the least constant that would have kept the wanted share, known only
// afterwards.
const hindsightKind = "hindsight"

// Policies are the kinds that can be tried. Two are not Muster's, but to compare with:
// rolling and hindsight.
var Policies = append(trial.Kinds(), hindsightKind)

// ParsePolicy reads KIND or KIND=NUMBER: the share of a kind that keeps one, the confidence of the others.
func ParsePolicy(text string) (p Policy, err error) {
	kind, number, given := strings.Cut(text, "=")
	if !slices.Contains(Policies, kind) {
		return Policy{}, fmt.Errorf("there is no policy %.40q; known are %s", kind, strings.Join(Policies, ", "))
	}
	b := fleet.DefaultBuffer(fleet.BufferKind(kind))
	p = Policy{Kind: kind, Share: b.Share.Float(), Confidence: b.Confidence.Float(), Floor: b.Floor.Float(), Ceiling: b.Ceiling.Float()}
	if !given {
		return p, nil
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return Policy{}, fmt.Errorf("%q is not a number; write %s=0.15, say", number, kind)
	}
	return p.with(x)
}

// with is the policy with the number that its kind has.
func (p Policy) with(x float64) (Policy, error) {
	if trial.KeepsShare(p.Kind) {
		if !(x >= 0 && x <= 1) {
			return Policy{}, fmt.Errorf("%s=%v: the share is not between 0 and 1", p.Kind, x)
		}
		p.Share = x
		return p, nil
	}
	if !(x > 0 && x < 1) {
		return Policy{}, fmt.Errorf("%s=%v: the confidence is not between 0 and 1, as 0.99 is", p.Kind, x)
	}
	p.Confidence = x
	return p, nil
}

// String is the policy as ParsePolicy reads it.
func (p Policy) String() string {
	x := p.Confidence
	if trial.KeepsShare(p.Kind) {
		x = p.Share
	}
	return p.Kind + "=" + strconv.FormatFloat(x, 'f', -1, 64)
}

// tried is the policy as the room of trials knows it.
func (p Policy) tried() trial.Policy {
	return trial.Policy{Kind: p.Kind, Share: p.Share, Confidence: p.Confidence, Floor: p.Floor, Ceiling: p.Ceiling}
}
