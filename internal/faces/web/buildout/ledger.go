package buildout

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// ledgerView is the ledger of cloud quota, by account.
type ledgerView struct {
	v    *frame.Visit
	list []*musterv1.CloudLedger
	most int // the largest limit
}

// Ledger is the page of cloud quota.
func Ledger(v *frame.Visit) (frame.Page, error) {
	r, err := v.Buildout.CloudQuota(v.Ctx, &musterv1.CloudQuotaRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	m := ledgerView{v: v, list: r.GetAccounts()}
	short := 0
	for _, a := range m.list {
		for _, x := range a.GetMeters() {
			m.most = max(m.most, int(x.GetLimit()))
		}
		if len(waiting(a)) > 0 {
			short++
		}
	}
	lead := "No cloud account is counted yet."
	if len(m.list) > 0 {
		lead = draw.Count(len(m.list), "cloud account") + "; no cluster waits for cores."
		if short > 0 {
			lead = draw.Count(len(m.list), "cloud account") + "; clusters wait for cores in " + draw.Number(short) + " of them."
		}
	}
	return frame.Page{
		Title: "Cloud quota", Nav: "buildout", Crumbs: frame.Under("Build-out", "/build-out"), Command: "muster cloud quota", Lead: lead, Body: ledgerBody(m),
	}, nil
}

// notCounted says why nothing is reserved in an account without counts of the last 15 minutes.
func notCounted(m ledgerView, a *musterv1.CloudLedger) string {
	if a.GetRead() == nil {
		return "No cloud has counted this account yet; nothing is reserved here."
	}
	return "The last counts are of " + parts.Clock(a.GetRead().AsTime(), m.v.Now) + ", more than 15 minutes old; nothing is reserved here."
}

// bar is used and reserved cores against the limit.
func (m ledgerView) bar(x *musterv1.MeterLedger) draw.SVG {
	return draw.Meter(int(x.GetLimit()), m.most,
		draw.Part{GPUs: int(x.GetUsed()), Ink: draw.Metal, Says: draw.Number(int(x.GetUsed())) + " used"},
		draw.Part{GPUs: int(x.GetReserved()), Ink: draw.Buffer, Says: draw.Number(int(x.GetReserved())) + " reserved"},
		draw.Part{GPUs: int(x.GetFree()), Ink: draw.Empty, Says: draw.Number(int(x.GetFree())) + " free"},
	)
}

// waiting are the clusters of an account that need cores, in the order in which they are served.
func waiting(a *musterv1.CloudLedger) (list []claim) {
	for _, c := range a.GetClaims() {
		var needs []string
		for _, x := range c.GetMeters() {
			if x.GetNeeds() > 0 {
				needs = append(needs, need(x))
			}
		}
		if len(needs) > 0 {
			list = append(list, claim{c.GetCluster(), strings.Join(needs, ", ")})
		}
	}
	return list
}

// need is what a cluster waits for of one meter.
func need(x *musterv1.MeterClaim) string {
	text := draw.Number(int(x.GetNeeds())) + " cores of " + x.GetMeter()
	if x.GetMissing() > 0 {
		text += " (" + draw.Number(int(x.GetMissing())) + " are missing)"
	}
	return text
}

// claim is what a cluster waits for.
type claim struct{ cluster, needs string }
