package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// serviceVerb takes nodes out of service, or back: a node state under the word that
// Kubernetes has for it.
type serviceVerb struct {
	name, state, short, long, done string
}

var serviceVerbs = []serviceVerb{
	{
		"cordon", "suspect", "let nothing new start on nodes; what runs there goes on",
		"Cordon puts nodes into the state suspect: they keep what they run and take nothing new.\nmuster node uncordon takes them back.",
		"cordoned; what runs there goes on",
	},
	{
		"drain", "maintenance", "take nodes out of service: work there ends or is asked to move",
		"Drain puts nodes into the state maintenance: nothing new starts there, and the work that runs there is\n" +
			"mended elsewhere or evicted, each with its grace. --dry-run names that work, and the quotas that lose backing, first; a terminal asks.\nmuster node uncordon takes the nodes back.",
		"drained for maintenance",
	},
	{
		"uncordon", "healthy", "take nodes back into service after cordon or drain",
		"Uncordon puts nodes into the state healthy, at once and without a validation. Their capacity is promised again after the dwell.\n" +
			"A node that is out for another reason than cordon or drain, such as a fault that came since, is refused.",
		"back in service",
	},
}

func newNodeVerbs(a *app) (verbs []*cobra.Command) {
	for _, v := range serviceVerbs {
		verbs = append(verbs, newNodeVerb(a, v))
	}
	return verbs
}

func newNodeVerb(a *app, v serviceVerb) *cobra.Command {
	o := &nodeSetOptions{app: a, state: v.state}
	cmd := &cobra.Command{
		Use:   v.name + " NODE...",
		Short: v.short,
		Long:  v.long,
		Example: fmt.Sprintf("  muster node %s tiger-h200-i1-001..004 --reason 'new cables'\n"+
			"  muster node %s tiger-h200-i1-003 --dry-run", v.name, v.name),
		Args: needs(1, -1, "the names of nodes, or ranges of them as in tiger-h200-i1-001..008"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if strings.Contains(name, "/") {
					return usage("%.60q is no node; name its nodes, as in tiger-h200-i1-001..008 (muster node list %.60s shows them)", name, name)
				}
			}
			names, err := nodeNames(args)
			if err != nil {
				return err
			}
			said := words.Few(names, 4) + ": " + v.done
			if v.name == "uncordon" {
				said, err = o.checkUncordon(cmd.Context(), names, v.done)
			}
			if err != nil {
				return err
			}
			return o.set(cmd.Context(), names, said)
		},
	}
	o.writing.flags(cmd)
	if v.name != "uncordon" { // it takes nothing away
		o.confirming.flagsFor(cmd, "work or quotas lose nodes")
	}
	return cmd
}

// set puts nodes into a state, and says what that did to work.
func (o *nodeSetOptions) set(ctx context.Context, names []string, said string) error {
	do := func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
		res, err := o.client().Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{
			Write: w, Names: names, State: o.state, Dead: o.dead, Signal: o.signal, At: o.at.message(),
		})
		return res.GetWritten(), err
	}
	if err := o.confirmed(ctx, &o.confirming, &o.writing, do, "Work or quotas lose nodes:", losses); err != nil {
		return err
	}
	var lines []string
	return o.writeAnd(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		written, err := do(ctx, o.writing.message())
		if err == nil {
			lines = append(o.notInService(ctx, names), o.effects(ctx, written)...)
		}
		return written, err
	}, said, func(p *page) { p.effects(lines) })
}

// notInService says of nodes that were taken back which back no quota even so: those that go on with a probation,
// and those that planned work took again at once.
func (o *nodeSetOptions) notInService(ctx context.Context, names []string) (lines []string) {
	if o.state != "healthy" {
		return nil
	}
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: names, States: []string{"probation", "maintenance"}})
	if err != nil {
		return nil
	}
	in := map[string][]string{}
	for _, n := range res.GetNodes() {
		in[n.GetState()] = append(in[n.GetState()], n.GetName())
	}
	if still := in["probation"]; len(still) > 0 {
		lines = append(lines, words.Few(text.Folded(still), 4)+": still in probation, so flex work may start there and no quota is backed yet")
	}
	if again := in["maintenance"]; len(again) > 0 {
		lines = append(lines, words.Few(text.Folded(again), 4)+": in maintenance again, since planned work took it at once; muster maintenance list shows it, and muster rollout pause stops a rollout")
	}
	return lines
}
