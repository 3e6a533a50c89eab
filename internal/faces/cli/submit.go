package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// submitOptions are those of `muster submit` and `muster job submit`.
type submitOptions struct {
	*app
	writing
	naming
	file string
	typedWork
	maxRuntime, every, grace, bears span
}

// typedWork is what the work asks for, as it was typed.
type typedWork struct {
	name, target, partition string
	priority                string
	gang                    string
	pools                   []string
}

// newSubmit makes the command that is given by these words.
func newSubmit(a *app, path string) *cobra.Command {
	o := &submitOptions{app: a}
	cmd := &cobra.Command{
		Use:   "submit (--name NAME --target QUOTA|flex --gang 16x8 | -f FILE)",
		Short: "submit a workload",
		Long: `Submit hands a workload to the fleet. It starts with all its pools of the lowest rank, or not at all;
muster why says why it waits. A pool is a gang (all or nothing), 16x8 for 16 replicas of 8 GPUs each,
or elastic, 2..64x1 for 2 to 64 replicas of 1 GPU each; a name comes first and a rank and reach follow:

  --pool trainer=16x8 --pool grader=2..64x1,rank=1,reach=any

A file holds one workload, or a list of them, in the words of a scenario's submit.`,
		Example: strings.ReplaceAll(`  muster submit --name pretrain --target research/oak --gang 16x8 --priority high
  muster submit --name eval --target flex --pool w=2..64x1
  muster submit -f job.yaml`, "muster submit", path),
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			specs, err := o.specs(cmd)
			if err != nil {
				return err
			}
			return o.submit(cmd.Context(), specs)
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	o.flags(cmd)
	return cmd
}

func (o *submitOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "a file with one workload or a list of them; - reads standard input")
	f.StringVar(&o.name, "name", "", "its name, unique in its namespace until it has ended")
	f.StringVar(&o.target, "target", "", "a quota, or flex")
	o.shapeFlags(f)
	f.Var(&o.bears, "bears-freeze", "the longest freeze of a node that does it no harm, as in 30s: such maintenance passes under it")
	f.Var(&o.every, "checkpoint-every", "how often it saves what it has done; none: an eviction loses everything since its start")
	f.Var(&o.grace, "grace", "how long it needs to leave (30s); at most what the policy says (15m where it says nothing)")
}

// shapeFlags are the flags that fit has, too.
func (o *submitOptions) shapeFlags(f *pflag.FlagSet) {
	f.StringVar(&o.partition, "partition", "", "only there; none leaves the choice among the target's")
	f.StringVar(&o.priority, "priority", "", "critical, high, mid (the default) or low")
	f.StringVar(&o.gang, "gang", "", "one gang: REPLICASxGPUS, as in 16x8")
	f.StringArrayVar(&o.pools, "pool", nil, "a pool: NAME=REPLICASxGPUS or NAME=MIN..MAXxGPUS, then ,rank=N and ,reach=rack|island|any; may be repeated")
	f.Var(&o.maxRuntime, "max-runtime", "the longest it may run, as in 6h; lets it pass others that it cannot delay")
}

// single are the flags that say a workload on the command line.
var single = []string{"name", "target", "partition", "priority", "gang", "pool", "max-runtime", "checkpoint-every", "grace", "bears-freeze"}

// specs are the workloads to submit, from the file or the flags.
func (o *submitOptions) specs(cmd *cobra.Command) ([]*musterv1.WorkloadSpec, error) {
	if o.file == "" {
		spec, err := o.spec()
		return []*musterv1.WorkloadSpec{spec}, err
	}
	for _, name := range single {
		if cmd.Flags().Changed(name) {
			return nil, usage("-f says all about a workload, and --%s besides would say something else; give one of them", name)
		}
	}
	data, err := o.open(o.file)
	if err != nil {
		return nil, err
	}
	return readJobs(o.file, data, o.home(o.app))
}

// spec is the workload that the flags say.
func (o *submitOptions) spec() (*musterv1.WorkloadSpec, error) {
	switch {
	case o.name == "":
		return nil, usage("a workload needs a name: --name NAME, or -f FILE")
	case o.target == "":
		return nil, usage("a workload needs a target: --target QUOTA, or --target flex")
	}
	return o.shape()
}

// shape is spec, for a workload that need not have a name and a target.
func (o *submitOptions) shape() (*musterv1.WorkloadSpec, error) {
	s := &musterv1.WorkloadSpec{
		Name: o.name, Namespace: o.home(o.app), Target: o.target, Partition: o.partition, Priority: o.priority,
		MaxRuntime: o.maxRuntime.message(), CheckpointEvery: o.every.message(), Grace: o.grace.message(), BearsFreeze: o.bears.message(),
	}
	if o.gang == "" && len(o.pools) == 0 {
		return nil, usage("a workload needs a pool: --gang 16x8, or --pool NAME=16x8")
	}
	if o.priority != "" {
		if err := checkPriority(o.priority); err != nil {
			return nil, err
		}
	}
	pools := o.pools
	if o.gang != "" {
		if strings.Contains(o.gang, "..") {
			return nil, usage("--gang %.40q is no gang, which has one number of replicas; an elastic pool is --pool worker=2..64x1", o.gang)
		}
		if !readShape(&musterv1.Pool{}, o.gang) {
			return nil, usage("--gang %.40q is no gang; %s, or use --pool", o.gang, shapeHelp(o.gang, "write REPLICASxGPUS as in 16x8"))
		}
		pools = append([]string{"worker=" + o.gang}, pools...)
	}
	var err error
	s.Pools, err = readPools(pools)
	return s, err
}

func (o *submitOptions) submit(ctx context.Context, specs []*musterv1.WorkloadSpec) error {
	var why []string
	said, next := fmt.Sprintf("%s submitted", text.Count(len(specs), "workload")), []string(nil)
	if len(specs) == 1 {
		said = fmt.Sprintf("%s/%s submitted to %s", specs[0].GetNamespace(), specs[0].GetName(), specs[0].GetTarget())
		next = []string{fmt.Sprintf("muster why %s/%s says how it stands.", specs[0].GetNamespace(), specs[0].GetName())}
	}
	return o.writeAround(ctx, func(ctx context.Context) (*musterv1.Written, error) {
		written, err := o.send(ctx, specs)
		if err == nil && !written.GetDryRun() {
			why = o.hopeless(ctx, specs)
		}
		return written, err
	}, said, around{before: func(p *page) {
		for _, line := range why {
			p.wrapAs("", line)
		}
	}}, next...)
}

func (o *submitOptions) send(ctx context.Context, specs []*musterv1.WorkloadSpec) (*musterv1.Written, error) {
	if len(specs) == 1 {
		res, err := o.client().Workloads.Submit(ctx, &musterv1.SubmitRequest{Write: o.writing.message(), Spec: specs[0]})
		return res.GetWritten(), err
	}
	res, err := o.client().Workloads.SubmitBatch(ctx, &musterv1.SubmitBatchRequest{Write: o.writing.message(), Specs: specs})
	return res.GetWritten(), err
}

// mostAsked is of how many workloads of a batch it is asked whether they can start at all.
const mostAsked = 16

// hopeless says which workloads will not start by waiting, and why. They are submitted even so, because their
// quota may get a larger grant. Programs read it on the error stream.
func (o *submitOptions) hopeless(ctx context.Context, specs []*musterv1.WorkloadSpec) (lines []string) {
	for _, spec := range specs[:min(len(specs), mostAsked)] {
		res, err := o.client().Workloads.Why(ctx, &musterv1.WhyRequest{Namespace: spec.GetNamespace(), Name: spec.GetName()})
		if err != nil || res.GetAnswer() != "impossible" || len(res.GetBlockers()) == 0 {
			continue
		}
		first := res.GetBlockers()[0]
		lines = append(lines, fmt.Sprintf("Warning: %s/%s will not start by waiting: %s: %s", spec.GetNamespace(), spec.GetName(), first.GetCode(), first.GetText()))
	}
	if o.output == "table" || o.output == "wide" {
		return lines
	}
	for _, line := range lines {
		_, _ = fmt.Fprintf(o.Err, "muster: %s\n", line)
	}
	return nil
}
