package wire

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadAsk reads what a haircut is asked for; the usual basis is the cluster.
func ReadAsk(m *musterv1.HaircutAsk) (haircut.Ask, error) {
	ask := haircut.Ask{Scope: m.GetScope(), Basis: fleet.Basis(m.GetBasis())}
	if ask.Basis == "" {
		ask.Basis = fleet.BasisCluster
	}
	if m.GetBuffer() == nil {
		return ask, nil
	}
	b, err := ReadBuffer("ask.buffer", m.GetBuffer())
	ask.Buffer = &b
	return ask, err
}

func ask(h *fleet.Haircut) *musterv1.HaircutAsk {
	m := &musterv1.HaircutAsk{Scope: h.Scope, Basis: string(h.Basis)}
	if h.Buffer != nil {
		m.Buffer = Buffer(*h.Buffer)
	}
	return m
}

// Haircut is a plan with its waves, and what it does in sum.
func Haircut(h *fleet.Haircut) *musterv1.Haircut {
	e := haircut.EffectOf(h)
	m := &musterv1.Haircut{
		Name: h.Name, Ask: ask(h), Version: h.Version, Made: Instant(h.Made), By: h.By,
		Reviewed: Instant(h.Reviewed), ReviewedBy: h.ReviewedBy, Reason: h.Reason, Effective: Instant(h.Effective),
		Sums: Sums(e.Cut), Quotas: int32(e.Quotas), People: int32(e.People),
	}
	for _, w := range h.Waves {
		m.Waves = append(m.Waves, wave(w))
	}
	for _, p := range h.Fit {
		m.Fit = append(m.Fit, cutPart(p))
	}
	return m
}

// Sums is what is cut, by class, in GPUs.
func Sums(s haircut.Sums) *musterv1.HaircutSums {
	return &musterv1.HaircutSums{Total: int32(s.Total), Unscheduled: int32(s.Unscheduled), Idle: int32(s.Idle), Rest: int32(s.Rest), Fraction: int32(s.Fraction)}
}

func wave(w fleet.Wave) *musterv1.HaircutWave {
	m := &musterv1.HaircutWave{
		Cluster: w.Cluster, Class: string(w.Class), Headroom: int32(w.Headroom), Told: Instant(w.Told), ToldBy: w.ToldBy,
		Applied: Instant(w.Applied), Undone: Instant(w.Undone), Sums: Sums(haircut.SumsOf(w.Parts)),
	}
	for _, p := range w.Parts {
		m.Parts = append(m.Parts, cutPart(p))
	}
	return m
}

func cutPart(p fleet.CutPart) *musterv1.HaircutPart {
	m := &musterv1.HaircutPart{
		Partition: p.Partition, Installed: int32(p.Installed), Healthy: int32(p.Healthy), Assigned: int32(p.Assigned),
		Sustainable: int32(p.Sustainable), Excess: int32(p.Excess), Unallocated: int32(p.Unallocated), Records: int32(p.Records),
		Incidents: p.Incidents, Left: int32(p.Left), Unprotected: works(p.Unprotected), Evicted: works(p.Evicted), Starts: works(p.Starts),
		Flex: int32(p.Flex), FlexAfter: int32(p.FlexAfter), Firm: int32(p.Firm), FirmAfter: int32(p.FirmAfter),
		Known: works(p.Known), Requeued: works(p.Requeued),
	}
	for _, c := range p.Causes {
		m.Causes = append(m.Causes, &musterv1.HaircutCause{Cause: c.Cause, Gpus: int32(c.GPUs)})
	}
	for _, c := range p.Cuts {
		m.Cuts = append(m.Cuts, cutOf(c))
	}
	for _, c := range p.Spared {
		m.Spared = append(m.Spared, cutOf(c))
	}
	return m
}

func cutOf(c fleet.Cut) *musterv1.HaircutCut {
	m := &musterv1.HaircutCut{
		Quota: c.Quota, Owner: c.Owner, Was: int32(c.Was), Now: int32(c.Now), Usage: int32(c.Usage), Idle: int32(c.Idle), Highest: int32(c.Highest),
		CutUnscheduled: int32(c.Unscheduled), CutIdle: int32(c.IdleCut), CutRest: int32(c.Rest), Gang: int32(c.Gang), GangNow: int32(c.GangNow), CutFraction: int32(c.Fraction),
		Asked: int32(c.Asked), Why: string(c.Why), CutTemporary: int32(c.TemporaryCut()),
	}
	if c.Temporary != nil {
		m.TemporaryUntil = Instant(c.Temporary.Until)
	}
	return m
}

func works(list []fleet.Touched) []*musterv1.HaircutWork {
	out := make([]*musterv1.HaircutWork, len(list))
	for i, t := range list {
		out[i] = &musterv1.HaircutWork{Workload: t.Workload, Quota: t.Quota, Gpus: int32(t.GPUs)}
	}
	return out
}

// PolicyName is a buffer policy as people say it.
func PolicyName(b *fleet.Buffer) string {
	if b == nil {
		return "in force"
	}
	return b.String()
}
