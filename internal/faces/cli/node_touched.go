package cli

import (
	"context"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// A change of nodes that was made for good says what it did to work, as its dry
// run says what it would do; so many lines of it, then how many more there are.
const mostTouched = 20

// touched reads what a change did to work from the record that it made. The
// change is made: where the record cannot be had, there is only less to say.
func (o *nodeSetOptions) touched(ctx context.Context, w *musterv1.Written) (lines []string) {
	if w.GetDryRun() || w.GetVersion() == 0 || slices.Contains(w.GetNotes(), wire.Unchanged) || o.output != "table" && o.output != "wide" {
		return nil
	}
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: w.GetVersion(), Limit: 1})
	if err != nil || len(res.GetRecords()) == 0 || res.GetRecords()[0].GetSeq() != w.GetVersion() {
		return nil
	}
	n := &names{}
	n.learn(ctx, o.app, res.GetRecords())
	lines = gangsInPieces(res.GetRecords()[0].GetEvents())
	for _, e := range res.GetRecords()[0].GetEvents() {
		if jobSentences[e.GetKind()] != nil {
			lines = append(lines, n.plan(e))
		}
	}
	return lines
}

// done says what a change did to work.
func (p *page) done(lines []string) {
	for i, line := range lines {
		if i == mostTouched {
			p.say("  and %s more; muster events tells them all", counted(int64(len(lines)-i), "change", "changes"))
			return
		}
		p.wrapAs("  - ", line)
	}
}

// setter says who put a node into its state, and why; "" where the log does not
// tell, or the node is healthy.
func (o *showOptions) setter(ctx context.Context, n *musterv1.Node) string {
	if n.GetState() == "healthy" {
		return ""
	}
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{
		AsOf: o.asOf.message(), Since: n.GetSince(), About: n.GetName(), Kinds: []string{"node.changed"}, Limit: 1,
	})
	if err != nil || len(res.GetRecords()) == 0 || !res.GetRecords()[0].GetAt().AsTime().Equal(n.GetSince().AsTime()) {
		return ""
	}
	r := res.GetRecords()[0]
	return strings.TrimSpace(r.GetActor() + prefixed(": ", r.GetReason()))
}
