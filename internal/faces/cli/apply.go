package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

// fileOptions are those of `muster diff` and `muster apply`.
type fileOptions struct {
	*app
	reading
	writing
	confirming
	file string
}

// comparison is what differs between a fleet and a fleet file.
type comparison struct {
	Differences []difference
	Changes     []*musterv1.Change // what brings the fleet there, in order
}

// difference is one thing that a file says and the fleet is not.
type difference struct {
	Kind   string `json:"kind"` // + to be added, ~ to be changed, ! cannot be brought about
	Text   string `json:"text"`
	Line   int    `json:"line"`   // in the file
	Change int    `json:"change"` // index of its change, -1 for none
}

func newDiff(a *app) *cobra.Command {
	o := &fileOptions{app: a}
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "how the fleet differs from a fleet file",
		Long: `Diff compares a fleet file (policy, clusters, quotas) with the fleet and says what muster apply would
change: + adds, ~ changes, ! cannot be brought about. What the file does not name is left alone.`,
		Example: "  muster diff -f fleet.yaml --exit-code   # exit code 3 if there are differences",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.diff)
		},
	}
	o.reading.flags(a, cmd)
	o.fileFlag(cmd)
	return cmd
}

// smallFleet is a fleet file that the help shows.
const smallFleet = `  clusters:
    - name: tiger
      partitions:
        - {gpu: h200, islands: [{name: i1, nodes: 16}, {name: i2, nodes: 16}]}
  quotas:
    - {path: research/oak, access: {groups: [oak]}, grants: [{partition: tiger/h200, gpus: 64}]}`

func newApply(a *app) *cobra.Command {
	o := &fileOptions{app: a}
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "bring the fleet to what a fleet file says, all of it or nothing",
		Long: `Apply brings the fleet to what a fleet file (policy, clusters, quotas) says, in one step. A cluster, a
partition or an island may have a buffer policy of its own: buffer: {share: 0.2}. What the
file does not name is left alone; a file takes nothing away. muster diff says beforehand what would change.

A small one:

` + smallFleet,
		Example: "  muster apply -f fleet.yaml --dry-run\n  muster apply -f fleet.yaml --reason 'Q3 plan'",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.apply(cmd.Context())
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	o.confirming.flags(cmd)
	o.fileFlag(cmd)
	return cmd
}

func (o *fileOptions) fileFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "the fleet file; - reads standard input")
}

// compare reads the file and holds it against the fleet.
func (o *fileOptions) compare(ctx context.Context) (comparison, error) {
	if o.file == "" {
		return comparison{}, usage("which file? write -f FILE")
	}
	data, err := o.open(o.file)
	if err != nil {
		return comparison{}, err
	}
	fleet, err := o.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{AsOf: o.asOf.message()})
	if err != nil {
		return comparison{}, err
	}
	quotas, err := o.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{AsOf: o.asOf.message()})
	if err != nil {
		return comparison{}, err
	}
	file, err := fleetfile.Parse(o.file, data, fleetfile.Options{Partitions: partitionsOf(fleet)})
	if err != nil {
		return comparison{}, err
	}
	return compare(fleet, quotas.GetQuotas(), file)
}

// compare holds a fleet, as the API tells it, against a fleet file.
func compare(f *musterv1.GetFleetResponse, quotas []*musterv1.Quota, file fleetfile.File) (comparison, error) {
	var c comparison
	state, err := wire.ReadState(f, quotas)
	if err != nil {
		return c, err
	}
	_, list := fleetfile.Diff(state, file)
	for _, d := range list {
		at := -1
		if d.Command != nil {
			change, err := wire.Change(d.Command)
			if err != nil {
				return c, err
			}
			at = len(c.Changes)
			c.Changes = append(c.Changes, change)
		}
		c.Differences = append(c.Differences, difference{Kind: string(d.Kind), Text: d.Text, Line: d.Line, Change: at})
	}
	return c, nil
}

func partitionsOf(fleet *musterv1.GetFleetResponse) map[string]int {
	all := map[string]int{}
	for _, c := range fleet.GetClusters() {
		for _, p := range c.GetPartitions() {
			all[p.GetId()] = int(p.GetGpusPerNode())
		}
	}
	return all
}

func (o *fileOptions) diff(ctx context.Context) (answer, error) {
	c, err := o.compare(ctx)
	if err != nil {
		return answer{}, err
	}
	ans := answer{
		value: object{{"file", o.file}, {"differences", append([]difference{}, c.Differences...)}},
		rows:  differenceRows(c.Differences), lead: func(p *page) { p.differences(c.Differences) },
	}
	if len(c.Differences) > 0 {
		ans.unmet = fmt.Sprintf("the fleet differs from %s in %s", o.file, things(len(c.Differences)))
	}
	return ans, nil
}

func things(n int) string {
	return text.Count(n, "thing")
}

var kindStyles = map[string]style{"+": good, "~": waiting, "!": bad}

func (p *page) differences(list []difference) {
	for _, d := range list {
		p.say("%s %s", p.paint.paint(kindStyles[d.Kind], d.Kind), d.Text)
	}
	if len(list) == 0 {
		p.say("No differences: the fleet is as the file says.")
	}
}

func differenceRows(list []difference) *table {
	t := newTable("", column{head: "KIND"}, column{head: "TEXT"}, column{head: "LINE"})
	for _, d := range list {
		t.add(d.Kind, d.Text, d.Line)
	}
	return t
}

// apply brings the fleet to the file, unless the file asks for what cannot be.
func (o *fileOptions) apply(ctx context.Context) error {
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress("applying " + o.file)
	defer done()
	c, err := o.compare(ctx)
	if err != nil {
		return err
	}
	if err := o.conflicts(c.Differences); err != nil {
		return err
	}
	if len(c.Changes) == 0 {
		return o.print(o.Out, answer{value: object{{"changes", 0}}, rows: differenceRows(nil), lead: func(p *page) { p.differences(nil) }})
	}
	var res *musterv1.ApplyResponse
	do := func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
		res, err = o.client().Fleet.Apply(ctx, &musterv1.ApplyRequest{Write: w, Changes: c.Changes})
		return res.GetWritten(), err
	}
	done()
	if err = o.confirm(ctx, &o.confirming, &o.writing, do); err == nil {
		_, err = do(ctx, o.writing.message())
	}
	if err != nil {
		return o.locate(c.Differences, err)
	}
	return o.print(o.Out, answer{message: res.GetWritten(), rows: writtenRows(res.GetWritten()), lead: func(p *page) {
		p.differences(c.Differences)
		p.written(res.GetWritten(), things(len(c.Changes))+" changed", &names{})
	}})
}

// conflicts refuses a file that asks for what cannot be brought about.
func (o *fileOptions) conflicts(list []difference) error {
	var lines []error
	for _, d := range list {
		if d.Change < 0 {
			lines = append(lines, fmt.Errorf("%s:%d: %s", o.file, d.Line, d.Text))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%w\nnothing was changed; mend the file first", errors.Join(lines...))
}

// ordinal finds which change of a batch was refused.
var ordinal = regexp.MustCompile(`^command (\d+) of \d+: `)

// locate says in which line of the file stands what was refused.
func (o *fileOptions) locate(list []difference, err error) error {
	var r *client.Refusal
	if !errors.As(err, &r) {
		return err
	}
	n, rest := 1, r.Message // a batch of one is refused without its number
	if m := ordinal.FindStringSubmatch(r.Message); m != nil {
		n, _ = strconv.Atoi(m[1])
		rest = r.Message[len(m[0]):]
	}
	for _, d := range list {
		if d.Change == n-1 {
			r.Message = fmt.Sprintf("%s:%d: %s", o.file, d.Line, rest)
		}
	}
	return err
}
