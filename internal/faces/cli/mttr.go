package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	pictures "github.com/muster-fleet/muster/internal/faces/picture"
)

// mttrOptions are those of `muster mttr`.
type mttrOptions struct {
	*app
	breakdown
}

func newMTTR(a *app) *cobra.Command {
	o := &mttrOptions{app: a}
	cmd := &cobra.Command{
		Use:   "mttr [CLUSTER | CLUSTER/GPU | CLUSTER/GPU/ISLAND]",
		Short: "how long failed nodes took to be healthy again, stage by stage and cause by cause",
		Long: `Mttr says for the repairs that ended in the window how long they took from the moment the node left
service until it was healthy again: detect (suspect), drain (work still holds it), wait (nobody repairs
it yet), repair, validate (VALID), probation (PROB). The stages are means and add up to the mean; DONE is
how many were repaired, OUT how many are out now. With -o wide the median (P50) and P90 as well.`,
		Example: "  muster mttr --since 90d\n  muster mttr tiger --by partition\n  muster mttr --as-of 2026-10-01 -o csv",
		Args:    needs(0, 1, "at most one cluster, partition or island"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.settle(args); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.breakdown.flags(a, cmd, "cluster", " and cause")
	return cmd
}

func (o *mttrOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.Repairs(ctx, &musterv1.RepairsRequest{AsOf: o.asOf.message(), Since: o.since.message(), Scope: o.scope, By: o.by})
	if err != nil {
		return answer{}, err
	}
	rows, _ := pictures.Stages(res.GetRepairs())
	return answer{message: res, picture: draw.StageBars(rows, draw.Wide), table: repairTable(res.GetRepairs()), lead: func(p *page) {
		p.covered(res.GetWindow())
		for _, r := range res.GetRepairs() {
			if r.GetCause() == "" && r.GetRepaired() > 0 {
				p.stages(r)
			}
		}
	}}, nil
}

// stageMarks are what the stages of a repair are drawn with.
var stageMarks = []struct {
	letter rune
	style  style
}{{'d', waiting}, {'n', waiting}, {'w', bad}, {'r', tinted}, {'v', tinted}, {'p', good}}

// stages draws where the time of the mean repair went.
func (p *page) stages(r *musterv1.RepairTimes) {
	const width = 60
	whole := r.GetTotal().GetMean().AsDuration()
	var bar, legend []string
	for i, s := range r.GetStages() {
		mean := s.GetTimes().GetMean().AsDuration()
		n := int(float64(mean)/float64(max(1, whole))*width + 0.5)
		bar = append(bar, p.paint.paint(stageMarks[i].style, strings.Repeat(string(stageMarks[i].letter), n)))
		if mean > 0 {
			legend = append(legend, fmt.Sprintf("%c %s %s", stageMarks[i].letter, s.GetStage(), short(mean)))
		}
	}
	p.say("%s  mean %s, %d repaired", p.paint.paint(strong, r.GetScope()), short(whole), r.GetRepaired())
	p.say("  %s", strings.Join(bar, ""))
	p.say("  %s\n", strings.Join(legend, ", "))
}

func repairTable(list []*musterv1.RepairTimes) *table {
	t := newTable("No node was repaired in this time, and none is out.",
		column{head: "SCOPE", name: true}, column{head: "CAUSE", folds: true}, column{head: "REPAIRED", brief: "DONE", right: true},
		column{head: "OUT NOW", brief: "OUT", right: true}, column{head: "MEAN", right: true}, column{head: "P50", right: true, wide: true}, column{head: "P90", right: true, wide: true},
		column{head: "DETECT", right: true}, column{head: "DRAIN", right: true}, column{head: "WAIT", right: true},
		column{head: "REPAIR", right: true}, column{head: "VALIDATE", brief: "VALID", right: true}, column{head: "PROBATION", brief: "PROB", right: true})
	for _, r := range list {
		cause := r.GetCause()
		if cause == "" {
			cause = "all"
		}
		row := []any{r.GetScope(), cause, r.GetRepaired(), r.GetOpen(), spanOf(r.GetTotal().GetMean()), spanOf(r.GetTotal().GetP50()), spanOf(r.GetTotal().GetP90())}
		for i := range 6 {
			d := time.Duration(0)
			if i < len(r.GetStages()) {
				d = spanOf(r.GetStages()[i].GetTimes().GetMean())
			}
			row = append(row, d)
		}
		t.add(row...)
	}
	return t
}
