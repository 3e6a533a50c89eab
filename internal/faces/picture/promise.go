package picture

import (
	"cmp"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// mostCoverages is how many rows a picture of promises has at most.
const mostCoverages = 60

// Coverages are the promises of whole partitions: claimed against realised.
func Coverages(list []*musterv1.Promises) []draw.Coverage {
	var rows []draw.Coverage
	for _, p := range list {
		if p.GetIsland() == "" && len(rows) < mostCoverages {
			rows = append(rows, coverageOf(p))
		}
	}
	return rows
}

// Policy writes a policy as people say it.
func Policy(b *musterv1.Buffer) string {
	switch {
	case b == nil:
		return "several policies"
	case !words.BufferLearns(b.GetKind()):
		return cmp.Or(b.GetKind(), "fixed") + " " + draw.Percent(b.GetShare())
	}
	if b.Confidence == nil {
		return b.GetKind()
	}
	return b.GetKind() + " " + draw.Percent(b.GetConfidence())
}

// Horizon says what a promise is about, and for how long.
func Horizon(hours int32) string {
	if hours == 24 {
		return "promisable, 24 h"
	}
	return "sustainable, " + draw.Number(int(hours)/24) + " d"
}

func coverageOf(p *musterv1.Promises) draw.Coverage {
	c := draw.Coverage{
		Name: p.GetPartition() + " · " + Policy(p.GetPolicy()) + " · " + Horizon(p.GetHorizonHours()), Claimed: -1, Realised: -1, Faint: !p.GetInForce(),
		Note: draw.Number(int(p.GetKept())) + " kept, " + draw.Number(int(p.GetBroken())) + " broken",
	}
	if p.GetKept()+p.GetBroken() == 0 {
		c.Note = "none judged yet, " + draw.Number(int(p.GetOpen())) + " open"
	}
	if p.Claimed != nil {
		c.Claimed = p.GetClaimed()
	}
	if p.Realised != nil {
		c.Realised = p.GetRealised()
	}
	return c
}
