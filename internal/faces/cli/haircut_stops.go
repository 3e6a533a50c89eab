package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// stop is why waves of a plan over one cluster will be refused.
type stop struct {
	cluster, why string
	numbers      []string // of the waves, from 1
}

// waves names the waves, in words: waves 2 and 4 (tiger).
func (s *stop) waves() string {
	of := "wave "
	if len(s.numbers) > 1 {
		of = "waves "
	}
	return of + text.And(s.numbers) + " (" + s.cluster + ")"
}

// stopsOf lists why waves cannot be applied, each reason once.
func stopsOf(h *musterv1.Haircut) (list []*stop) {
	for i, w := range h.GetWaves() {
		if w.GetBlocked() != "" {
			list = stopped(list, stop{cluster: w.GetCluster(), why: w.GetBlocked()}, i)
		}
	}
	return list
}

// stopped adds a wave to those that are stopped for the same reason.
func stopped(list []*stop, s stop, wave int) []*stop {
	number := strconv.Itoa(wave + 1)
	for _, known := range list {
		if known.cluster == s.cluster && known.why == s.why {
			known.numbers = append(known.numbers, number)
			return list
		}
	}
	s.numbers = []string{number}
	return append(list, &s)
}

// plan is a saved plan. Where the server does not say it, nil: then there is only less to read, and no error.
func (o *haircutTellOptions) plan(ctx context.Context, name string) *musterv1.Haircut {
	res, err := o.client().Haircuts.GetHaircut(ctx, &musterv1.GetHaircutRequest{AsOf: o.asOf.message(), Name: name})
	if err != nil {
		return nil
	}
	return res.GetHaircut()
}

// ahead says what stops waves of a saved plan besides that its people are told, and how it is
// mended.
func (o *haircutTellOptions) ahead(ctx context.Context, h *musterv1.Haircut) (lines []string) {
	lacks := map[string]string{}
	var list []*stop
	for i, w := range h.GetWaves() {
		why, known := lacks[w.GetCluster()]
		if !known {
			why = o.lacksOf(ctx, h.GetName(), w.GetCluster())
			lacks[w.GetCluster()] = why
		}
		if why != "" && !waveInForce(w) {
			list = stopped(list, stop{cluster: w.GetCluster(), why: why}, i)
		}
	}
	for _, s := range list {
		lines = append(lines, fmt.Sprintf("Not yet, %s: %s", s.waves(), s.why))
	}
	return lines
}

// next says how the next wave is applied, or why it would be refused now.
func (o *haircutTellOptions) next(ctx context.Context, name string, h *musterv1.Haircut) string {
	try := &musterv1.Write{DryRun: true, Reason: "what comes after the people were told"}
	_, err := o.client().Haircuts.ApplyHaircut(ctx, &musterv1.ApplyHaircutRequest{Write: try, Name: name})
	var refused *client.Refusal
	if errors.As(err, &refused) {
		return "The next wave would be refused now: " + refused.Message
	}
	return "The next wave" + o.from(h) + ": muster haircut apply " + name
}

// from says from when on waves may be applied, where people were told of a day to come.
func (o *haircutTellOptions) from(h *musterv1.Haircut) string {
	if day := h.GetEffective(); day != nil && day.AsTime().After(o.Now()) {
		return ", from " + weekday(day.AsTime()) + " on"
	}
	return ""
}

// lacksOf is what a cluster lacks before a wave of a plan, besides that its people are told.
func (o *haircutTellOptions) lacksOf(ctx context.Context, name, cluster string) string {
	res, err := o.client().Haircuts.ClusterReady(ctx, &musterv1.ClusterReadyRequest{AsOf: o.asOf.message(), Cluster: cluster, Haircut: name})
	if err != nil {
		return ""
	}
	var all []string
	for _, item := range res.GetItems() {
		if item.GetName() != "people are told" {
			all = append(all, item.GetMissing()...)
		}
	}
	return strings.Join(all, "; ")
}
