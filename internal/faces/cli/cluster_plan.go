package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// planClusterOptions are those of `muster cluster plan`.
type planClusterOptions struct {
	*app
	writing
	recordFlags
	r musterv1.ClusterRecord
}

func newClusterPlan(a *app) *cobra.Command {
	o := &planClusterOptions{app: a}
	cmd := &cobra.Command{
		Use: "plan CLUSTER", Short: "enter the record of a cluster that is to be built",
		Example: "  muster cluster plan lynx --subscription s1 --region east --gpu h200 --island a:16 --island b:16 --blueprint nd",
		Args:    needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.r.Name = args[0]
			o.into(&o.r)
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Buildout.PlanCluster(ctx, &musterv1.PlanClusterRequest{Write: o.writing.message(), Record: &o.r})
				return res.GetWritten(), err
			}, "cluster "+args[0]+" is planned", "muster cluster why "+args[0]+" says what it waits for.")
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.r.Subscription, "subscription", "", "the cloud subscription")
	f.StringVar(&o.r.Region, "region", "", "the cloud's region")
	f.StringVar(&o.r.Gpu, "gpu", "", "the GPU model")
	f.StringVar(&o.r.Blueprint, "blueprint", "", "how it is built: muster blueprint list")
	f.StringVar(&o.r.Provider, "provider", "", "simulated, azure or hand; none: simulated")
	o.recordFlags.flags(f, a, "", "; none: mid", "")
	return cmd
}

// importOptions are those of `muster cluster import`.
type importOptions struct {
	*app
	writing
	columns map[string]string
	change  bool
}

func newClusterImport(a *app) *cobra.Command {
	o := &importOptions{app: a}
	cmd := &cobra.Command{
		Use: "import SHEET", Short: "enter the records of a sheet (CSV or XLSX), all of them or none",
		Long: `Import reads records from a sheet whose first row names the columns: name, provider, subscription,
region, sku, gpu, gpusPerNode, islands (a:16 b:16), owner, priority, wantedBy (2027-01-31), blueprint. Other heads
are mapped with --map. Every cell that is wrong is named with its row and column, and then nothing is done.
Importing the same sheet twice changes nothing. What is no longer in the sheet is named, and never deleted.`,
		Example: "  muster cluster import clusters.csv --dry-run\n  muster cluster import clusters.xlsx --map 'Go-live=wantedBy' --map 'Notes=-'",
		Args:    needs(1, 1, "a file; - reads standard input"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.writing.flags(cmd)
	cmd.Flags().StringToStringVar(&o.columns, "map", nil, "HEAD=FIELD: a column under another head; FIELD - leaves it out; may be repeated")
	cmd.Flags().BoolVar(&o.change, "change", false, "clusters that are planned already take over what the sheet says")
	return cmd
}

// largestSheet is how much of a sheet is read, in bytes.
const largestSheet = 900 << 10

func (o *importOptions) run(ctx context.Context, path string) error {
	data, err := o.sheet(path)
	if err != nil {
		return err
	}
	ctx, end := o.within(ctx)
	defer end()
	res, err := o.client().Buildout.ImportClusters(ctx, &musterv1.ImportClustersRequest{Write: o.writing.message(), Sheet: data, Columns: o.columns, Change: o.change})
	if err != nil {
		return err
	}
	t := newTable("No row of the sheet names a cluster.", column{head: "ROW", right: true}, column{head: "CLUSTER"}, column{head: "ACTION"}, column{head: "SAYS", folds: true})
	for _, r := range res.GetRows() {
		t.add(r.GetRow(), r.GetCluster(), r.GetAction(), r.GetSays())
	}
	if n := len(res.GetErrors()); n > 0 {
		t = newTable("", column{head: "ROW", right: true}, column{head: "COLUMN"}, column{head: "WRONG", folds: true})
		for _, e := range res.GetErrors() {
			t.add(e.GetRow(), e.GetColumn(), e.GetMessage())
		}
		if err := o.print(o.Out, answer{message: res, table: t}); err != nil {
			return err
		}
		if n == 1 && res.GetErrors()[0].GetColumn() == "" {
			return usage("%s: nothing was done", path)
		}
		if n == 1 {
			return usage("%s: 1 cell is wrong, and nothing was done", path)
		}
		return usage("%s: %d cells are wrong, and nothing was done", path, n)
	}
	return o.print(o.Out, answer{message: res, table: t, lead: func(p *page) { p.imported(res) }})
}

func (o *importOptions) sheet(path string) ([]byte, error) {
	in := o.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, Malformed(err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, largestSheet+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > largestSheet:
		return nil, usage("%s is larger than %d kB; export the rows with records alone", path, largestSheet>>10)
	}
	return data, nil
}

func (p *page) imported(res *musterv1.ImportClustersResponse) {
	count := map[string]int{}
	for _, r := range res.GetRows() {
		count[r.GetAction()]++
	}
	said := fmt.Sprintf("new: %d, changed: %d, as before: %d", count["new"], count["changed"], count["same"])
	if res.GetWritten().GetDryRun() {
		said = "dry run, nothing was changed; " + said
	}
	p.say("%s", said)
	if absent := res.GetAbsent(); len(absent) > 0 {
		p.wrapAs("", "planned and not in the sheet (nothing is deleted; muster cluster retire does): "+strings.Join(absent, ", "))
	}
}
