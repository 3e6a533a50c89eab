package cli

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// A change of a node's state ends or moves work there. Its dry run says what it would do; this
// file says what it did, once it is made.

// mostEffects is how many lines of it are shown, before it is said how many more there are.
const mostEffects = 20

// effects reads what a change did to work, and what else of some kinds, from the record that it made. The
// change is made: where the record cannot be had, there is only less to say, and no error.
func (a *app) effects(ctx context.Context, w *musterv1.Written, kinds ...string) (lines []string) {
	made := !w.GetDryRun() && w.GetVersion() != 0 && !slices.Contains(w.GetNotes(), wire.Unchanged)
	forPeople := a.output == "table" || a.output == "wide"
	if !made || !forPeople {
		return nil
	}
	res, err := a.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: w.GetVersion(), Limit: 1})
	if err != nil || len(res.GetRecords()) == 0 || res.GetRecords()[0].GetSeq() != w.GetVersion() {
		return nil
	}
	n := &names{}
	n.learn(ctx, a, res.GetRecords())
	events := res.GetRecords()[0].GetEvents()
	told := slices.DeleteFunc(slices.Clone(events), func(e *musterv1.Event) bool {
		return jobSentences[e.GetKind()] == nil && !slices.Contains(kinds, e.GetKind())
	})
	return append(gangsInPieces(events), n.plans(told)...)
}

// effects shows what a change did to work.
func (p *page) effects(lines []string) {
	for i, line := range lines {
		if i == mostEffects {
			p.say("  and %s more; muster events tells them all", counted(int64(len(lines)-i), "change", "changes"))
			return
		}
		p.wrapAs("  - ", line)
	}
}
