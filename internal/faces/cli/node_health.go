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
		Short:   "what is remembered of a node's health: signals, faults, validation",
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
	return answer{message: res, table: conditionTable(res.GetConditions()), rows: conditionRows(res.GetConditions()), lead: func(p *page) { p.nodeHealth(res) }}, nil
}

func (p *page) nodeHealth(res *musterv1.NodeHealthResponse) {
	n := res.GetNode()
	p.say("%s  %s since %s%s%s", p.paint.paint(strong, n.GetNode()), p.paint.paint(stateStyles[n.GetState()], n.GetState()),
		p.moment(res.GetSince().AsTime()), prefixed("; ", res.GetSignal()), prefixed("; kept by ", n.GetOwner()))
	if n.GetHeld() != "" {
		p.say("  %s: %s", wants(n), n.GetBecause())
	}
	if v := res.GetValidation(); v != nil {
		p.say("  validation %s at %s%s%s", map[bool]string{true: "passed", false: "failed"}[v.GetPassed()], p.moment(v.GetAt().AsTime()),
			prefixed(": ", strings.Join(v.GetChecks(), ", ")), prefixed("; ", v.GetNote()))
	}
	if len(res.GetNeeds()) > 0 {
		p.say("  needs a validation with %s before it returns", strings.Join(res.GetNeeds(), ", "))
	}
	for _, f := range res.GetFaults() {
		back := "still out"
		if f.GetBack() != nil {
			back = "back after " + short(f.GetBack().AsTime().Sub(f.GetAt().AsTime()))
		}
		p.say("  fault %s  %s, %s%s", p.moment(f.GetAt().AsTime()), orElse(f.GetSignal(), "no signal"), back,
			map[bool]string{true: " (in probation: not mended)"}[f.GetAgain()])
	}
}

// nodeValidateOptions are those of `muster node validate`.
type nodeValidateOptions struct {
	*app
	writing
	failed bool
	checks []string
	note   string
}

func newNodeValidate(a *app) *cobra.Command {
	o := &nodeValidateOptions{app: a}
	cmd := &cobra.Command{
		Use:   "validate NODE",
		Short: "record that checks were run on a node; passed, it returns into probation",
		Example: "  muster node validate tiger-h200-i1-003 --check dcgm-r3 --check nccl\n" +
			"  muster node validate tiger-h200-i1-003 --failed --note 'GPU 3 does not answer'",
		Args: needs(1, 1, "the name of one node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.RecordValidation(ctx, &musterv1.RecordValidationRequest{
					Write: o.writing.message(), Node: args[0], Passed: !o.failed, Checks: o.checks, Note: o.note,
				})
				return res.GetWritten(), err
			}, fmt.Sprintf("%s: validation %s", args[0], map[bool]string{true: "failed", false: "passed"}[o.failed]))
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().BoolVar(&o.failed, "failed", false, "it did not pass")
	cmd.Flags().StringSliceVar(&o.checks, "check", nil, "a check that passed; may be repeated")
	cmd.Flags().StringVar(&o.note, "note", "", "what was found")
	return cmd
}

// nodeReleaseOptions are those of `muster node release`.
type nodeReleaseOptions struct {
	*app
	writing
}

func newNodeRelease(a *app) *cobra.Command {
	o := &nodeReleaseOptions{app: a}
	cmd := &cobra.Command{
		Use:   "release NODE...",
		Short: "give nodes that a person keeps back to automation",
		Long: `Release gives the states of nodes that a person set back to automation; it changes no state. A maintenance
keeps its nodes: what is in maintenance stays there until muster node set NODE --state healthy (or validating) ends it.`,
		Example: "  muster node release tiger-h200-i1-001..004",
		Args:    needs(1, -1, "the names of nodes, or ranges of them as in tiger-h200-i1-001..008"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := nodeNames(args)
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.ReleaseNodes(ctx, &musterv1.ReleaseNodesRequest{Write: o.writing.message(), Names: names})
				return res.GetWritten(), err
			}, words.Few(names, 4)+": released; what a person kept there, automation keeps now")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// trouble says why a workload failed, that it hangs, and which incidents touch where it is.
func (p *page) trouble(res *musterv1.WhyResponse) {
	p.failure(res.GetFailure(), res.GetWorkload().GetFailureNode())
	if res.GetHung() != nil {
		p.say("  %s: it looks busy, but tensor cores and network have been still for %s", p.paint.paint(bad, "hung"), short(res.GetHung().AsDuration()))
	}
	for _, text := range res.GetSaid() {
		p.wrapAs("  ", "on its cluster: "+text)
	}
	if len(res.GetIncidents()) > 0 {
		p.say("  open incidents: %s", strings.Join(res.GetIncidents(), ", "))
	}
}

// failure says why a workload failed, where it stood, and which of its nodes changed within
// minutes of its end.
func (p *page) failure(f *musterv1.Failure, node string) {
	if f == nil {
		return
	}
	p.wrapAs("  why       ", causeText(f.GetCause(), node))
	for _, e := range f.GetEvidence() {
		p.wrapAs("            ", p.moment(e.GetAt().AsTime())+"  "+prefixed("", e.GetNode())+prefixed("  ", e.GetSays()))
	}
	p.wrapAs("  stood on  ", words.Few(folded(f.GetNodes()), 12))
	if len(f.GetAround()) == 0 && f.GetCause() != "" {
		p.say("            none of them changed state from 10 min before to 5 min after")
	}
	for _, e := range f.GetAround() {
		p.wrapAs("            ", p.moment(e.GetAt().AsTime())+"  "+e.GetNode()+" "+e.GetSays())
	}
	if f.GetCause() == "not known" && len(f.GetNodes()) > 0 {
		p.say("            muster node history %s says what befell a node before and after", f.GetNodes()[0])
	}
}

// causeText is why a workload failed, in words.
func causeText(cause, node string) string {
	switch cause {
	case "":
		return "not judged yet: signals of the next minutes count too"
	case "infra":
		return "infra: " + words.BrokenBy(node)
	case "own":
		return "own: signals spoke against the work, not against its nodes"
	}
	return "not known: Muster was told that it ended by failing, and nothing more"
}
