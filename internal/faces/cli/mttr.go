package cli

import (
	"context"
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
		Long: `Mttr says how long the repairs took that ended in the window, from the moment a node left service until
it was healthy again. The stages are detect (suspect), drain (work still holds the node), wait (its
repair has not begun), repair, validate (VALID) and probation (PROB). The stages are means and add up to
the mean. DONE is how many were repaired, OUT how many are out now. -o wide adds the median (P50) and P90.`,
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

// ask asks for repairs, as a bar for each scope, a table and a picture.
func (o *mttrOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Past.Repairs(ctx, &musterv1.RepairsRequest{AsOf: o.asOf.message(), Since: o.window.from(), Scope: o.scope, By: o.by})
	if err != nil {
		return answer{}, err
	}
	rows, _, _ := pictures.Stages(res.GetRepairs())
	return answer{message: res, picture: draw.StageBars(rows, draw.Wide), table: repairTable(res.GetRepairs()), lead: func(p *page) {
		p.covered(res.GetWindow(), &o.window)
		for _, r := range res.GetRepairs() {
			if r.GetCause() == "" && r.GetRepaired() > 0 {
				p.stages(r)
			}
		}
	}}, nil
}

// repairStage is a stage of a repair as the terminal shows it.
type repairStage struct {
	name        string // as the server says it
	letter      string // in the bar
	style       style  // of its part of the bar
	head, brief string // of its column
}

// repairStages are the stages in the order in which a repair passes them.
var repairStages = []repairStage{
	{"detect", "d", waiting, "DETECT", ""},
	{"drain", "n", waiting, "DRAIN", ""},
	{"wait", "w", bad, "WAIT", ""},
	{"repair", "r", tinted, "REPAIR", ""},
	{"validate", "v", tinted, "VALIDATE", "VALID"},
	{"probation", "p", good, "PROBATION", "PROB"},
}

// meansOf are the mean times of a repair's stages, by the name of the stage. Stages that a
// newer server may add are left out.
func meansOf(r *musterv1.RepairTimes) map[string]time.Duration {
	means := map[string]time.Duration{}
	for _, s := range r.GetStages() {
		means[s.GetStage()] = s.GetTimes().GetMean().AsDuration()
	}
	return means
}

// stages draws where the time of the mean repair went.
func (p *page) stages(r *musterv1.RepairTimes) {
	const width = 60
	whole, means := r.GetTotal().GetMean().AsDuration(), meansOf(r)
	var bar, legend []string
	for _, s := range repairStages {
		mean := means[s.name]
		n := int(float64(mean)/float64(max(1, whole))*width + 0.5)
		bar = append(bar, p.paint.paint(s.style, strings.Repeat(s.letter, n)))
		if mean > 0 {
			legend = append(legend, s.letter+" "+s.name+" "+short(mean))
		}
	}
	p.say("%s  mean %s, %d repaired", p.paint.paint(strong, r.GetScope()), short(whole), r.GetRepaired())
	p.say("  %s", strings.Join(bar, ""))
	p.say("  %s\n", strings.Join(legend, ", "))
}

// repairTable has a row for each scope and cause; the stages are means.
func repairTable(list []*musterv1.RepairTimes) *table {
	columns := []column{
		{head: "SCOPE", name: true},
		{head: "CAUSE", folds: true},
		{head: "REPAIRED", brief: "DONE", right: true},
		{head: "OUT NOW", brief: "OUT", right: true},
		{head: "MEAN", right: true},
		{head: "P50", right: true, wide: true},
		{head: "P90", right: true, wide: true},
	}
	for _, s := range repairStages {
		columns = append(columns, column{head: s.head, brief: s.brief, right: true})
	}
	t := newTable("No node was repaired in this time, and none is out.", columns...)
	for _, r := range list {
		total, means := r.GetTotal(), meansOf(r)
		row := []any{r.GetScope(), orElse(r.GetCause(), "all"), r.GetRepaired(), r.GetOpen(), spanOf(total.GetMean()), spanOf(total.GetP50()), spanOf(total.GetP90())}
		for _, s := range repairStages {
			row = append(row, means[s.name].Round(time.Second))
		}
		t.add(row...)
	}
	return t
}
