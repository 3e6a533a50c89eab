package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newHaircutDiff(a *app) *cobra.Command {
	o := &haircutNameOptions{app: a}
	cmd := &cobra.Command{
		Use:     "diff NAME",
		Short:   "the grants that a saved plan would still change, and whether it can still be applied",
		Example: "  muster haircut diff autumn --exit-code   # exit code 3 if something is left to change",
		Args:    needs(1, 1, "the name of a saved haircut"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return o.read(cmd.Context(), &o.reading, o.diff)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *haircutNameOptions) diff(ctx context.Context) (answer, error) {
	res, err := o.get(ctx)
	if err != nil {
		return answer{}, err
	}
	var list []difference
	for _, w := range res.GetHaircut().GetWaves() {
		if w.GetApplied() != nil && waveInForce(w) {
			continue
		}
		for _, part := range w.GetParts() {
			for _, c := range part.GetCuts() {
				list = append(list, difference{Kind: "~", Text: fmt.Sprintf("%s in %s: %s → %s", c.GetQuota(), part.GetPartition(), text.Group(c.GetWas()), text.Count(c.GetNow(), "GPU"))})
			}
		}
		if w.GetBlocked() != "" {
			list = append(list, difference{Kind: "!", Text: w.GetBlocked()})
		}
	}
	ans := answer{message: res, rows: differenceRows(list), lead: func(p *page) {
		for _, d := range list {
			p.wrapAs(p.paint.paint(kindStyles[d.Kind], d.Kind)+" ", d.Text)
		}
		if len(list) == 0 {
			p.say("No differences: every wave of %s is in force.", o.name)
		}
	}}
	if len(list) > 0 {
		ans.unmet = "haircut " + o.name + " is not in force everywhere"
	}
	return ans, nil
}

func waveInForce(w *musterv1.HaircutWave) bool {
	return w.GetApplied() != nil && (w.GetUndone() == nil || !w.GetApplied().AsTime().Before(w.GetUndone().AsTime()))
}
