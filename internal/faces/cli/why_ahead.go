package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// ahead is the planned work on the nodes of a workload that stands on some. Where that cannot be had, the answer stands
// without it.
func (o *whyOptions) ahead(ctx context.Context, w *musterv1.Workload) []*musterv1.PlannedWork {
	if len(w.GetNodes()) == 0 || o.history {
		return nil
	}
	res, err := o.client().Maintenance.PlannedWork(ctx, &musterv1.PlannedWorkRequest{AsOf: o.asOf.message(), Workload: nameOf(w)})
	if err != nil {
		return nil
	}
	return res.GetWorks()
}

// plannedAhead says which planned work lies ahead for the nodes of a workload: when, what becomes of it, and what its owner
// can do.
func (p *page) plannedAhead(w *musterv1.Workload, works []*musterv1.PlannedWork) {
	for _, x := range works {
		updates := slices.DeleteFunc(slices.Clone(x.GetUpdates()), func(name string) bool { return name == x.GetOf() })
		head := fmt.Sprintf("Ahead: %s (%s), on %d of its %s", x.GetOf(), strings.Join(append([]string{x.GetState(), x.GetImpact()}, updates...), ", "),
			x.GetNodes(), words.Count(len(w.GetNodes()), "node"))
		if x.GetBegins() != nil {
			head += ", from " + p.moment(x.GetBegins().AsTime())
		}
		if x.GetEnds() != nil {
			head += " to " + p.moment(x.GetEnds().AsTime())
		}
		p.wrapAs("", head+". "+x.GetBecomes())
	}
	p.toDo(works)
}
