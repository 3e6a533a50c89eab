package cli

import (
	"context"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

func newUsage(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "usage", Short: "measured use of the GPUs of workloads: report"}
	return group(cmd, newUsageReport(a))
}

// usageReportOptions are those of `muster usage report`.
type usageReportOptions struct {
	*app
	writing
	naming
	file                string
	sm, tensor, network string
}

func newUsageReport(a *app) *cobra.Command {
	o := &usageReportOptions{app: a}
	cmd := &cobra.Command{
		Use:   "report JOB --sm SHARE | report -f FILE",
		Short: "say what the GPUs of workloads are seen to do, 0 to 1, from now on",
		Long: `Report says what a monitor measured on the GPUs of workloads: how busy their SMs are by the plain figure,
how active tensor cores are, and the fabric. From it follow idle GPUs, and work that hangs: busy by the
plain figure with everything else still. What is not measured is left out. A file has a list:

  - {workload: oak/base, sm: 0.97, tensor: 0.41, network: 0.2}`,
		Example: "  muster usage report oak/base --sm 0.97 --tensor 0 --network 0\n  muster usage report -f usage.yaml",
		Args:    needs(0, 1, "at most one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := o.measured(args)
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.MeasureUsage(ctx, &musterv1.MeasureUsageRequest{Write: o.writing.message(), Of: list})
				return res.GetWritten(), err
			}, counted(int64(len(list)), "workload's usage", "workloads' usage")+" reported", "muster health shows work that hangs; muster quota show QUOTA what is idle.")
		},
	}
	o.writing.flags(cmd)
	o.naming.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "a file with a list of measurements; - reads standard input")
	f.StringVar(&o.sm, "sm", "", "share of time in which its SMs work, 0 to 1")
	f.StringVar(&o.tensor, "tensor", "", "activity of its tensor cores, 0 to 1")
	f.StringVar(&o.network, "network", "", "activity of NVLink and InfiniBand together, 0 to 1")
	return cmd
}

func (o *usageReportOptions) measured(args []string) ([]*musterv1.Usage, error) {
	if (o.file == "") == (len(args) == 0) {
		return nil, usage("name one workload, or a file with -f; one of them")
	}
	if o.file == "" {
		one, err := o.one(args[0])
		return []*musterv1.Usage{one}, err
	}
	if o.sm+o.tensor+o.network != "" {
		return nil, usage("-f says what was measured, and --sm, --tensor or --network besides would say something else")
	}
	data, err := o.open(o.file)
	if err != nil {
		return nil, err
	}
	return o.inFile(data)
}

// one is what the flags say.
func (o *usageReportOptions) one(job string) (*musterv1.Usage, error) {
	namespace, name, err := o.job(o.app, job)
	if err != nil {
		return nil, err
	}
	u := &musterv1.Usage{Namespace: namespace, Name: name}
	if o.sm == "" {
		return nil, usage("--sm is missing: how busy its SMs are, 0 to 1")
	}
	for _, f := range []struct {
		flag, text string
		to         func(float64)
	}{
		{"sm", o.sm, func(x float64) { u.Sm = x }},
		{"tensor", o.tensor, func(x float64) { u.Tensor = &x }},
		{"network", o.network, func(x float64) { u.Network = &x }},
	} {
		if f.text == "" {
			continue
		}
		x, err := strconv.ParseFloat(f.text, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
			return nil, usage("--%s %.40q is no share; write a number from 0 to 1", f.flag, f.text)
		}
		f.to(x)
	}
	return u, nil
}

// inFile reads a list of measurements.
func (o *usageReportOptions) inFile(data []byte) ([]*musterv1.Usage, error) {
	doc, top := yamlfile.Open(o.file, data)
	list := yamlfile.Each(top, func(v yamlfile.Value) *musterv1.Usage {
		f := v.Fields("workload", "sm", "tensor", "network")
		namespace, name, err := o.job(o.app, f.Need("workload").Path())
		if err != nil {
			v.Fail("%v", err)
		}
		u := &musterv1.Usage{Namespace: namespace, Name: name, Sm: share1(f.Need("sm"))}
		u.Tensor, u.Network = maybeShare(f, "tensor"), maybeShare(f, "network")
		return u
	})
	if err := doc.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, usage("%s: there is no measurement in it; write workload and sm", o.file)
	}
	return list, nil
}

func share1(v yamlfile.Value) float64 { return float64(v.Share()) / 1000 }

// maybeShare is a measured share; nil where the file has none.
func maybeShare(f yamlfile.Fields, key string) *float64 {
	if !f.Has(key) {
		return nil
	}
	x := share1(f.At(key))
	return &x
}
