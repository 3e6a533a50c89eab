package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/text"
)

// outlookOptions are those of `muster outlook`.
type outlookOptions struct {
	*app
	reading
	partition string
	gpus      string
	lengths   []string
}

func newOutlook(a *app) *cobra.Command {
	o := &outlookOptions{app: a}
	cmd := &cobra.Command{
		Use:   "outlook CLUSTER/GPU",
		Short: "how likely work on flex is to run undisturbed for some hours, from the last 28 days",
		Long: `Outlook says how likely work of a size is to run on flex for some hours without being evicted or losing
a node, if it does not end by itself before. It rests on the runs of work of about that size there in the
last 28 days; where too few lasted as long, it says so. docs/flex.md says how to use flex.`,
		Example: "  muster outlook tiger/h200 --gpus 64\n  muster outlook tiger/h200 --gpus 8 --for 2h,12h,3d",
		Args:    needs(1, 1, "a partition, as in tiger/h200"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.partition = args[0]
			ask, err := o.message()
			if err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) { return o.ask(ctx, ask) })
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.gpus, "gpus", "8", "how many GPUs the work needs to start")
	cmd.Flags().StringSliceVar(&o.lengths, "for", []string{"1h", "6h", "24h"}, "for how long")
	return cmd
}

func (o *outlookOptions) message() (*musterv1.FlexOutlookRequest, error) {
	gpus, err := gpusOf(o.gpus)
	if err != nil {
		return nil, err
	}
	if gpus == 0 {
		return nil, usage("--gpus 0; write how many GPUs the work needs, as in 64")
	}
	m := &musterv1.FlexOutlookRequest{AsOf: o.asOf.message(), Asks: []*musterv1.FlexAsk{{Partition: o.partition, Gpus: gpus}}}
	for _, text := range o.lengths {
		d, err := yamlfile.ParseDuration(text)
		if err != nil || d <= 0 {
			return nil, usage("--for %.40q is no length of time; write it with its unit, as in 6h or 2d", text)
		}
		m.Lengths = append(m.Lengths, durationpb.New(d))
	}
	return m, nil
}

func (o *outlookOptions) ask(ctx context.Context, m *musterv1.FlexOutlookRequest) (answer, error) {
	res, err := o.client().Past.FlexOutlook(ctx, m)
	if err != nil {
		return answer{}, err
	}
	t := newTable("Nothing was asked.", column{head: "PARTITION", name: true}, column{head: "GPUS", right: true},
		column{head: "LASTS", right: true}, column{head: "ODDS"}, column{head: "RUNS", right: true}, column{head: "OF GPUS"})
	for _, one := range res.GetOutlooks() {
		for _, odds := range one.GetOdds() {
			t.add(one.GetPartition(), one.GetGpus(), spanOf(odds.GetLasts()), oddsCell(odds), one.GetRuns(),
				sizesOf(one))
		}
	}
	return answer{message: res, table: t, tail: func(p *page) {
		for _, one := range res.GetOutlooks() {
			p.mean(one)
		}
	}}, nil
}

// sizesOf says of which sizes the runs were.
func sizesOf(o *musterv1.FlexOutlook) string {
	switch least, most := o.GetSizesFrom(), o.GetSizesTo()-1; {
	case o.GetRuns() == 0:
		return ""
	case least == most:
		return grouped(int64(least))
	default:
		return grouped(int64(least)) + " to " + grouped(int64(most))
	}
}

// mean says how much flex there was, and since when that is known.
func (p *page) mean(o *musterv1.FlexOutlook) {
	if o.GetKnownSince() == nil {
		p.say("Nothing is known of %s yet.", o.GetPartition())
		return
	}
	since := o.GetKnownSince().AsTime()
	p.say("Since %s (%s ago) %s had %s flex GPUs on average; %s of them were used.", p.moment(since), p.ago(since), o.GetPartition(),
		grouped(int64(o.GetMeanFlex())), grouped(int64(o.GetMeanUsed())))
	for _, odds := range o.GetOdds() {
		if odds.GetUnknown() {
			p.say("Not known yet: of the runs of such work too few have lasted as long to say.")
			return
		}
	}
}

func oddsCell(o *musterv1.FlexOdds) figure {
	if o.GetUnknown() {
		return figure{-1, "not known yet"}
	}
	return figure{o.GetOdds(), fmt.Sprintf("%s %3.0f %%", bar(int32(100*o.GetOdds()+0.5), 100, 20), 100*o.GetOdds())}
}

// flexOdds asks how long flex may last; nothing, where there is no quick answer:
// it is only said besides.
func (a *app) flexOdds(ctx context.Context, asOf *moment, asks []*musterv1.FlexAsk) []*musterv1.FlexOutlook {
	if len(asks) == 0 {
		return nil
	}
	ctx, end := context.WithTimeout(ctx, 2*time.Second)
	defer end()
	res, err := a.client().Past.FlexOutlook(ctx, &musterv1.FlexOutlookRequest{AsOf: asOf.message(), Asks: asks})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(res.GetOutlooks(), func(o *musterv1.FlexOutlook) bool { return oddsText(o) == "" })
}

// oddsText says the odds in a sentence, "" where none is known.
func oddsText(o *musterv1.FlexOutlook) string {
	var parts []string
	for _, odds := range o.GetOdds() {
		if !odds.GetUnknown() {
			parts = append(parts, fmt.Sprintf("over %s %s", short(odds.GetLasts().AsDuration()), occasions(odds.GetOdds())))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of flex in %s lasted %s (%s in 28 days).", text.Count(o.GetGpus(), "GPU"), o.GetPartition(),
		strings.Join(parts, ", "), text.Count(o.GetRuns(), "run"))
}

func occasions(odds float64) string {
	switch {
	case odds >= 0.95:
		return "nearly always"
	case odds < 0.05:
		return "hardly ever"
	}
	return fmt.Sprintf("on %.0f of 10 occasions", 10*odds)
}

// odds says how long flex lasted so far, one line for each.
func (p *page) odds(list []*musterv1.FlexOutlook) {
	for _, o := range list {
		p.wrapAs("", oddsText(o))
	}
}
