package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// nodeHistoryOptions are those of `muster node history`.
type nodeHistoryOptions struct {
	*app
	reading
	node string
}

func newNodeHistory(a *app) *cobra.Command {
	o := &nodeHistoryOptions{app: a}
	cmd := &cobra.Command{
		Use:     "history NODE",
		Short:   "what is remembered of a node's health: signals, faults, validation, and each change of its state with where it came from",
		Example: "  muster node history tiger-h200-i1-003",
		Args:    needs(1, 1, "the name of one node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.node = args[0]
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *nodeHistoryOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Health.NodeHealth(ctx, &musterv1.NodeHealthRequest{AsOf: o.asOf.message(), Node: o.node})
	if err != nil {
		return answer{}, err
	}
	return answer{
		message: res, table: conditionTable(res.GetConditions()), rows: conditionRows(res.GetConditions()),
		lead: func(p *page) { p.nodeHealth(res) },
	}, nil
}

// nodeHealth says how a node stands, what it was validated with, and which faults it had.
func (p *page) nodeHealth(res *musterv1.NodeHealthResponse) {
	n := res.GetNode()
	p.say("%s  %s since %s%s%s", p.paint.paint(strong, n.GetNode()), p.paint.paint(stateStyles[n.GetState()], n.GetState()),
		p.moment(res.GetSince().AsTime()), prefixed("; ", res.GetSignal()), prefixed("; kept by ", n.GetOwner()))
	if n.GetHeld() != "" {
		p.say("  %s: %s", wants(n), n.GetBecause())
	}
	if v := res.GetValidation(); v != nil {
		p.say("  validation %s at %s%s%s", passed(v.GetPassed()), p.moment(v.GetAt().AsTime()),
			prefixed(": ", strings.Join(v.GetChecks(), ", ")), prefixed("; ", v.GetNote()))
	}
	if len(res.GetNeeds()) > 0 {
		p.say("  needs a validation with %s before it returns", strings.Join(res.GetNeeds(), ", "))
	}
	for _, f := range res.GetFaults() {
		p.fault(f)
	}
	for _, c := range res.GetChanges() {
		p.wrapAs("  change ", nodeChangeText(p, c))
	}
	if res.GetEarlier() {
		p.say("  earlier changes: %s", words.Shell("muster", "events", "--about", n.GetNode(), "--since", "90d"))
	}
}

// nodeChangeText says how a node's state changed, where that came from, and what was seen.
func nodeChangeText(p *page, c *musterv1.NodeChange) string {
	return fmt.Sprintf("%s  %s to %s, by %s%s%s", p.moment(c.GetAt().AsTime()), c.GetFrom(), c.GetTo(), c.GetBy(),
		prefixed(": ", c.GetSignal()), prefixed("; ", c.GetReason()))
}

// fault says when a node was out of service, why, and for how long.
func (p *page) fault(f *musterv1.Fault) {
	back, again := "still out", ""
	if f.GetBack() != nil {
		back = "back after " + short(f.GetBack().AsTime().Sub(f.GetAt().AsTime()))
	}
	if f.GetAgain() {
		again = " (in probation: not mended)"
	}
	p.say("  fault %s  %s, %s%s", p.moment(f.GetAt().AsTime()), orElse(f.GetSignal(), "no signal"), back, again)
}
