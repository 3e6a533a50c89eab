package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

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
		Long: `Validate records that checks were run on a node. One that is out and passed returns into probation.
With --failed a node goes into quarantine, a healthy one too: nothing starts there, and its work is mended
elsewhere or ends. --dry-run names that work first.`,
		Example: "  muster node validate tiger-h200-i1-003 --check dcgm-r3 --check nccl\n" +
			"  muster node validate tiger-h200-i1-003 --failed --note 'GPU 3 does not answer'",
		Args: needs(1, 1, "the name of one node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var lines []string
			return o.writeAnd(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.RecordValidation(ctx, &musterv1.RecordValidationRequest{
					Write: o.writing.message(), Node: args[0], Passed: !o.failed, Checks: o.checks, Note: o.note,
				})
				if err == nil {
					lines = o.effects(ctx, res.GetWritten(), "node.changed")
				}
				return res.GetWritten(), err
			}, fmt.Sprintf("%s: validation %s", args[0], passed(!o.failed)), func(p *page) { p.effects(lines) })
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().BoolVar(&o.failed, "failed", false, "it did not pass")
	cmd.Flags().StringSliceVar(&o.checks, "check", nil, "a check that passed; may be repeated")
	cmd.Flags().StringVar(&o.note, "note", "", "what was found")
	return cmd
}

// passed says how a validation went.
func passed(yes bool) string {
	if yes {
		return "passed"
	}
	return "failed"
}
