package cli

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// resizeOptions are those of `muster job resize`.
type resizeOptions struct {
	jobChange
	pool        string
	least, most int32
}

func newJobResize(a *app) *cobra.Command {
	o := &resizeOptions{jobChange: jobChange{app: a}}
	cmd := &cobra.Command{
		Use:   "resize JOB SIZE",
		Short: "give a pool of a workload another size; it keeps its age",
		Long: `Give a pool of a workload another size; it keeps its age.

SIZE is 2..8, or 8 for as many at most: an elastic pool keeps what it needs at least,
and a gang that waits is as large as that. What an elastic pool has too much leaves
within its grace. A gang keeps its size once it stands. Where a cluster's own objects
make the pods, they say how many there are: kubectl scale.`,
		Example: "  muster job resize oak/engines 2..12\n  muster job resize oak/tune 8 --pool grader --dry-run",
		Args:    needs(2, 2, "the name of a workload, and a size: 8, or 2..8"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := o.take(args[0]); err != nil {
				return err
			}
			if o.least, o.most, err = readSize(args[1]); err != nil {
				return err
			}
			return o.write(cmd.Context(), o.do, o.who()+" asks for "+args[1]+" replicas")
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	cmd.Flags().StringVar(&o.pool, "pool", "", "which pool; needed where the workload has several")
	return cmd
}

// sizeShape is 8, or 2..8.
var sizeShape = regexp.MustCompile(`^(\d+)(?:\.\.(\d+))?$`)

// readSize reads how many replicas a pool shall have at least (0: not said) and at most.
func readSize(text string) (least, most int32, err error) {
	m := sizeShape.FindStringSubmatch(text)
	ok := m != nil
	if ok {
		most, ok = within(m[1], 1, mostReplicas)
	}
	if ok && m[2] != "" {
		least = most
		most, ok = within(m[2], int64(least), mostReplicas)
	}
	if !ok {
		return 0, 0, usage("%.40q is no size; write 8 for as many replicas at most, or 2..8", text)
	}
	return least, most, nil
}

func (o *resizeOptions) do(ctx context.Context) (*musterv1.Written, error) {
	res, err := o.client().Workloads.Resize(ctx, &musterv1.ResizeRequest{
		Write: o.writing.message(), Namespace: o.namespace, Name: o.name, Pool: o.pool, Min: o.least, Max: o.most,
	})
	return res.GetWritten(), err
}

// resized says which size a workload's pool gets, and which work leaves for it.
func (f foreseen) resized() string {
	says := fmt.Sprintf("asks for %s", text.Count(f.Max, "replica"))
	if f.Min != f.Max {
		says = fmt.Sprintf("asks for %s..%s", text.Group(f.Min), text.Count(f.Max, "replica"))
	}
	if f.Pool > 0 {
		says += fmt.Sprintf(" in its pool number %d", f.Pool+1)
	}
	if len(f.Leave) > 0 {
		says += "; " + replicas(f.Leave) + " must leave"
	}
	return says
}
