package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// jobChange is what the commands that change one workload have in common.
type jobChange struct {
	*app
	writing
	naming
	namespace, name string
}

// take reads the name of the workload.
func (o *jobChange) take(text string) (err error) {
	o.namespace, o.name, err = o.job(o.app, text)
	return err
}

func (o *jobChange) who() string { return o.namespace + "/" + o.name }

func newJobCancel(a *app) *cobra.Command {
	o := &jobChange{app: a}
	cmd := &cobra.Command{
		Use:     "cancel JOB...",
		Short:   "take workloads back, one after the other",
		Example: "  muster job cancel oak/pretrain-0042 --reason 'wrong data'",
		Args:    needs(1, -1, "the name of one workload, or of several"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && (o.key != "" || o.expect != 0) {
				return usage("--idempotency-key and --expect-version go with one workload, and there are %d", len(args))
			}
			for _, job := range args {
				if err := o.cancel(cmd.Context(), job); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	return cmd
}

func (o *jobChange) cancel(ctx context.Context, job string) error {
	if err := o.take(job); err != nil {
		return err
	}
	return o.write(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		res, err := o.client().Workloads.Cancel(ctx, &musterv1.CancelRequest{Write: o.writing.message(), Namespace: o.namespace, Name: o.name})
		return res.GetWritten(), err
	}, o.who()+" cancelled")
}

// retargetOptions are those of `muster job retarget`.
type retargetOptions struct {
	jobChange
	target, partition string
}

func newJobRetarget(a *app) *cobra.Command {
	o := &retargetOptions{jobChange: jobChange{app: a}}
	cmd := &cobra.Command{
		Use:     "retarget JOB TARGET",
		Short:   "give a workload another target; it keeps its age, and stops first if it runs",
		Example: "  muster job retarget oak/sweep-3 flex\n  muster job retarget oak/sweep-3 research/oak --partition tiger/h200",
		Args:    needs(2, 2, "the name of a workload, and a quota or flex"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(args[0]); err != nil {
				return err
			}
			o.target = args[1]
			return o.write(cmd.Context(), o.do, o.who()+" targets "+o.target)
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	cmd.Flags().StringVar(&o.partition, "partition", "", "only there; none leaves the choice among the target's")
	return cmd
}

func (o *retargetOptions) do(ctx context.Context) (*musterv1.Written, error) {
	res, err := o.client().Workloads.Retarget(ctx, &musterv1.RetargetRequest{
		Write: o.writing.message(), Namespace: o.namespace, Name: o.name, Target: o.target, Partition: o.partition,
	})
	return res.GetWritten(), err
}

var priorities = []string{"critical", "high", "mid", "low"}

// checkPriority refuses what is no priority.
func checkPriority(word string) error {
	if !slices.Contains(priorities, word) {
		return usage("%.40q is no priority; write critical, high, mid or low", word)
	}
	return nil
}

func newJobPriority(a *app) *cobra.Command {
	o := &jobChange{app: a}
	cmd := &cobra.Command{
		Use:       "priority JOB critical|high|mid|low",
		Short:     "give a workload another priority",
		Example:   "  muster job priority oak/pretrain-0042 critical --reason deadline",
		Args:      needs(2, 2, "the name of a workload and a priority"),
		ValidArgs: priorities,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(args[0]); err != nil {
				return err
			}
			if err := checkPriority(args[1]); err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Workloads.SetPriority(ctx, &musterv1.SetPriorityRequest{
					Write: o.writing.message(), Namespace: o.namespace, Name: o.name, Priority: args[1],
				})
				return res.GetWritten(), err
			}, o.who()+" has priority "+args[1])
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	return cmd
}
