package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// capacityOptions are those of `muster capacity`.
type capacityOptions struct {
	*app
	reading
	scope string
	bars  bool
}

func newCapacity(a *app) *cobra.Command {
	o := &capacityOptions{app: a}
	cmd := &cobra.Command{
		Use:   "capacity [CLUSTER | CLUSTER/GPU]",
		Short: "what the fleet can muster: promisable, assigned, backed, scheduled, flex",
		Long: `Capacity says, for each partition, what can be promised and what has been, in GPUs:

  promisable  what the buffer policy allows to be promised now
  assigned    what people granted to quotas
  backed      the part of the grants that stands on promisable nodes now
  scheduled   the part of it that workloads use
  borrowed    usage above backed that siblings' backing covers, and over what nothing covers
  flex        usable GPUs that no in-quota workload holds: free for all, until quota needs them

Scheduled, borrowed, over and flex, less what is stranded, are the usable GPUs.`,
		Example: "  muster capacity tiger/h200\n  muster capacity --as-of 2h\n  muster capacity -o wide",
		Args:    needs(0, 1, "at most one cluster or partition"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().BoolVar(&o.bars, "bars", true, "begin with bars")
	cmd.AddCommand(newCapacityFlex(a))
	return cmd
}

func (o *capacityOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	barred := map[string]string{}
	if strings.Contains(o.scope, "/") { // a sum over clusters says by itself how much of it is where nothing starts
		barred = o.startsNothing(ctx, &o.asOf, o.scope)
	}
	ans := answer{message: res, table: capacityTable(res), tail: func(p *page) {
		p.barred(barred)
		if says := words.NotInForce(res.GetClusters()); says != "" {
			p.wrapAs("", says)
		}
	}}
	if o.output == "svg" {
		ans.picture, err = o.waterfall(ctx, res)
		return ans, err
	}
	ans.lead = func(p *page) { p.banners(bannersIn(res)) }
	const most = 12 // partitions that people take in as bars
	if n := len(res.GetPartitions()); o.bars && n > 0 && n <= most {
		ans.lead = func(p *page) { p.banners(bannersIn(res)); p.partitions(res.GetPartitions()) }
		if n == 1 && o.output == "table" { // the bars say it all
			ans.table, ans.rows = nil, ans.table
		}
	}
	return ans, nil
}

func bannersIn(res *musterv1.CapacityResponse) []string {
	var list []string
	for _, p := range res.GetPartitions() {
		list = append(list, p.GetBanners()...)
	}
	return list
}

func (p *page) partitions(rows []*musterv1.PartitionCapacity) {
	for _, row := range rows {
		p.bars(row)
	}
}

// bars draws one partition: each bar is to the scale of what is installed.
func (p *page) bars(row *musterv1.PartitionCapacity) {
	f := row.GetFigures()
	p.say("%s  %s", p.paint.paint(strong, row.GetPartition()), summary(row))
	for _, one := range []struct {
		name   string
		n      int32
		style  style
		remark string
	}{
		{"promisable", f.GetPromisable(), tinted, short2(f.GetUnallocated(), "unallocated")},
		{"assigned", f.GetAssigned(), uncoloured, short2(f.GetUnbacked(), "unbacked")},
		{"backed", f.GetBacked(), good, gangsUnbacked(f)},
		{"scheduled", f.GetScheduled(), good, joined(short2(f.GetUnscheduled(), "unscheduled"), short2(f.GetBorrowed(), "borrowed besides"), short2(f.GetOver(), "over (cut) besides"))},
		{"flex", f.GetFlex(), waiting, short2(f.GetFlexUsed(), "used")},
	} {
		bar := p.paint.paint(one.style, bar(one.n, f.GetInstalled(), 50))
		line := fmt.Sprintf("  %-10s %s %7s", one.name, bar, number(int64(one.n)))
		if one.remark == "" {
			p.say("%s", line)
			continue
		}
		p.wrapAs(line+"  ", one.remark)
	}
	p.say("")
}

// joined joins remarks, without the empty ones.
func joined(remarks ...string) string {
	return strings.Join(slices.DeleteFunc(remarks, func(s string) bool { return s == "" }), ", ")
}

func short2(n int32, what string) string {
	if n == 0 {
		return ""
	}
	return number(int64(n)) + " " + what
}

// summary says how many GPUs a partition has, and what is wrong with them.
func summary(row *musterv1.PartitionCapacity) string {
	f := row.GetFigures()
	parts := []string{number(int64(f.GetInstalled())) + " GPUs installed", number(int64(f.GetHealthy())) + " healthy"}
	if f.GetUsable() != f.GetHealthy() {
		parts = append(parts, number(int64(f.GetUsable()))+" usable")
	}
	if row.GetStale() {
		parts = append(parts, "reports are stale: these are the last known figures")
	}
	if list := row.GetIncidents(); len(list) > 0 {
		parts = append(parts, "incidents: "+strings.Join(list, ", "))
	}
	return strings.Join(parts, ", ")
}

// bar is n of all, as a bar of so many characters; what is not nothing shows.
func bar(n, all int32, width int) string {
	full := 0
	if all > 0 && n > 0 {
		full = min(width, max(1, (int(n)*width+int(all)/2)/int(all)))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func capacityTable(res *musterv1.CapacityResponse) *table {
	t := newTable("There are no partitions yet; muster apply -f FILE adds them.",
		column{head: "PARTITION", name: true},
		column{head: "INSTALLED", right: true}, column{head: "HEALTHY", right: true},
		column{head: "USABLE", right: true, wide: true}, column{head: "STRANDED", right: true, wide: true},
		column{head: "PROMISABLE", right: true}, column{head: "SUSTAINABLE", right: true, wide: true},
		column{head: "ASSIGNED", right: true}, column{head: "BACKED", right: true},
		column{head: "UNBACKED", right: true, wide: true}, column{head: "UNALLOCATED", right: true, wide: true},
		column{head: "SCHEDULED", right: true}, column{head: "UNSCHEDULED", right: true, wide: true},
		column{head: "BORROWED", right: true, spare: true, aside: "borrowed"}, column{head: "OVER", right: true, spare: true, aside: "over (cut)"},
		column{head: "FLEX", right: true}, column{head: "FLEX USED", right: true, aside: "of flex used"},
		column{head: "IDLE", right: true, wide: true},
		column{head: "LARGEST GANG", right: true, wide: true}, column{head: "HELD", right: true, wide: true},
		column{head: "MEASURED", right: true, wide: true}, column{head: "NOTE", spare: true, folds: true, under: true},
	)
	for _, p := range res.GetPartitions() {
		t.figures(p.GetPartition(), p.GetFigures(), p.GetHeld(), wrongs(p))
	}
	if len(res.GetPartitions()) > 1 && res.GetFleet() != nil {
		t.figures("all", res.GetFleet(), 0, gangsUnbacked(res.GetFleet()))
	}
	return t
}

// gangsUnbacked counts the grants that cannot be used in one piece, in few words; "" for none.
func gangsUnbacked(f *musterv1.Figures) string {
	if n := int(f.GetGangsUnbacked()); n > 0 {
		return text.Count(n, "gang") + " unbacked"
	}
	return ""
}

// wrongs is what is wrong with a partition, in one cell.
func wrongs(p *musterv1.PartitionCapacity) string {
	list := slices.Clone(p.GetIncidents())
	if broken := gangsUnbacked(p.GetFigures()); broken != "" {
		list = slices.Insert(list, 0, broken)
	}
	if p.GetStale() {
		list = slices.Insert(list, 0, "stale")
	}
	return strings.Join(list, ",")
}

func (t *table) figures(name string, f *musterv1.Figures, held int32, note string) {
	t.add(name, f.GetInstalled(), f.GetHealthy(), f.GetUsable(), f.GetStranded(), f.GetPromisable(), f.GetSustainable(),
		f.GetAssigned(), f.GetBacked(), f.GetUnbacked(), f.GetUnallocated(), f.GetScheduled(), f.GetUnscheduled(),
		f.GetBorrowed(), f.GetOver(), f.GetFlex(), f.GetFlexUsed(), f.GetIdle(), f.GetLargestGang(), held, f.GetMeasured(), note)
}
