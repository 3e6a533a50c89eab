package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// haircutListOptions are those of `muster haircut list`.
type haircutListOptions struct {
	*app
	reading
}

func newHaircutList(a *app) *cobra.Command {
	o := &haircutListOptions{app: a}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list saved plans", Example: "  muster haircut list", Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.ask) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *haircutListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Haircuts.ListHaircuts(ctx, &musterv1.ListHaircutsRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There are no saved haircuts; muster haircut plan --save NAME makes one.",
		column{head: "HAIRCUT", name: true}, column{head: "SCOPE", cut: true}, column{head: "BASIS"}, column{head: "POLICY"}, column{head: "MADE"}, column{head: "BY", cut: true},
		column{head: "REVIEWED BY", cut: true, spare: true}, column{head: "WAVES", right: true}, column{head: "IN FORCE", right: true}, column{head: "GPUS PLANNED", brief: "PLANNED", right: true}, column{head: "GPUS CUT", brief: "CUT", right: true})
	for _, h := range res.GetHaircuts() {
		inForce, cut := 0, int32(0)
		for _, w := range h.GetWaves() {
			if waveInForce(w) {
				inForce++
				cut += w.GetSums().GetTotal()
			}
		}
		t.add(h.GetName(), orElse(h.GetAsk().GetScope(), "fleet"), h.GetAsk().GetBasis(), policyText(h.GetAsk().GetBuffer()), h.GetMade(), h.GetBy(),
			h.GetReviewedBy(), len(h.GetWaves()), inForce, h.GetSums().GetTotal(), cut)
	}
	return answer{message: res, table: t}, nil
}
