package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// fitOptions are those of `muster fit`.
type fitOptions struct {
	submitOptions
	reading
	searching
}

func newFit(a *app) *cobra.Command {
	o := &fitOptions{submitOptions: submitOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "fit (--gang 16x8 | --pool NAME=2..64x1 | -f FILE)",
		Short: "where and when a workload would run, without submitting it",
		Long: `Fit takes the shape of a workload and tries it in every quota that you may use and on flex, in every
partition, on a copy of the fleet with the engine that decides. It says where the workload starts at
once, which work would have to leave for it, or why it would wait and until when. --target and
--partition ask about one place. On a busy fleet the search may stop before all is found: it says so, and
--search gives it more time.`,
		Example: `  muster fit --gang 16x8
  muster fit --pool trainer=16x8 --pool grader=2..64x1,rank=1 --priority high --target research/oak
  muster fit --gang 16x8 --search 20s
  muster fit --gang 4x8 --exit-code   # exit code 3 unless it would start somewhere at once`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := o.shapeToFit(cmd)
			if err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) { return o.ask(ctx, spec) })
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "a file with one workload, as for submit; its target is tried only")
	f.StringVar(&o.target, "target", "", "only this quota, or flex")
	o.searching.flags(f, "5s")
	o.shapeFlags(f)
	return cmd
}

// shapeToFit is the shape that the flags or the file say.
func (o *fitOptions) shapeToFit(cmd *cobra.Command) (*musterv1.FitSpec, error) {
	s, err := o.oneSpec(cmd)
	if err != nil {
		return nil, err
	}
	return &musterv1.FitSpec{
		Namespace: s.GetNamespace(), Target: s.GetTarget(), Partition: s.GetPartition(), Priority: s.GetPriority(),
		Pools: s.GetPools(), MaxRuntime: s.GetMaxRuntime(),
	}, nil
}

// oneSpec is the one workload of the file, or what the flags say.
func (o *fitOptions) oneSpec(cmd *cobra.Command) (*musterv1.WorkloadSpec, error) {
	if o.file == "" {
		return o.shape()
	}
	list, err := o.specs(cmd)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, usage("%s holds %s; fit takes one", o.file, text.Count(len(list), "workload"))
	}
	return list[0], nil
}

func (o *fitOptions) ask(ctx context.Context, spec *musterv1.FitSpec) (answer, error) {
	res, err := o.client().Workloads.Fit(ctx, &musterv1.FitRequest{AsOf: o.asOf.message(), Spec: spec, Patient: true, Search: o.search.message()})
	if err != nil {
		return answer{}, err
	}
	odds := o.flexOdds(ctx, &o.asOf, flexAsks(spec, res.GetPlaces()))
	ans := answer{message: res, table: o.table(res), tail: func(p *page) {
		p.odds(odds)
		p.untried(res)
	}, unmet: "it would start nowhere at once"}
	for _, place := range res.GetPlaces() {
		if place.GetOutcome() == "starts" {
			ans.unmet = ""
		}
	}
	return ans, nil
}

// untried says what of a question about places was not looked at, and how to ask for more.
func (p *page) untried(res *musterv1.FitResponse) {
	n := tooFar(res.GetPlaces())
	if !res.GetMissed() && n == 0 {
		return
	}
	if res.GetMissed() {
		p.say("There was no time to try every place: what is not listed is not known.")
	}
	if n > 0 {
		p.say("The search stopped before the start was found at %s.", text.Count(n, "place"))
	}
	if d := res.GetLonger(); d != nil {
		p.say("Search longer with --search %s, or name one place with --target and --partition.", words.Duration(d.AsDuration()))
		return
	}
	p.say("Name one place with --target and --partition, and it has all of the time.")
}

// tooFarAhead is the ground of a forecast that ran out of time, as the API has it.
const tooFarAhead = "too far"

// tooFar counts the places whose forecast ran out of time.
func tooFar(places []*musterv1.Place) int {
	n := 0
	for _, place := range places {
		if ranOut(place.GetForecast()) {
			n++
		}
	}
	return n
}

// ranOut says whether a forecast is not known because the search ran out of time.
func ranOut(f *musterv1.Forecast) bool {
	tooFar := func(g *musterv1.Ground) bool { return g.GetKind() == tooFarAhead }
	return !f.GetKnown() && slices.ContainsFunc(f.GetUnknown(), tooFar)
}

// flexAsks is the work where it would start on flex.
func flexAsks(spec *musterv1.FitSpec, places []*musterv1.Place) (asks []*musterv1.FlexAsk) {
	gpus := int32(0)
	for _, pool := range spec.GetPools() {
		gpus += max(pool.GetReplicas(), pool.GetMin()) * pool.GetGpus()
	}
	for _, place := range places {
		if place.GetTarget() == "flex" && place.GetOutcome() == "starts" && gpus > 0 {
			asks = append(asks, &musterv1.FlexAsk{Partition: place.GetPartition(), Gpus: gpus})
		}
	}
	return asks
}

func (o *fitOptions) table(res *musterv1.FitResponse) *table {
	now := res.GetSeen().GetAt().AsTime()
	none := "There is no place to try: no quota that you may use has a grant, and there is no partition."
	if o.target != "" {
		none = "There is no place to try: " + o.target + " has no grant" + prefixed(" in ", o.partition) + "."
	}
	if res.GetMissed() {
		none = "No place was tried."
	}
	t := newTable(none,
		column{head: "TARGET", name: true}, column{head: "PARTITION", name: true},
		column{head: "START", folds: true}, column{head: "HOLDS"}, column{head: "ISLANDS", cut: true, spare: true},
		column{head: "NODES", right: true, wide: true}, column{head: "REASON OR WHO MUST LEAVE", folds: true, spare: true},
		column{head: "TEXT", wide: true},
	)
	for _, place := range res.GetPlaces() {
		st := place.GetStart()
		switch place.GetOutcome() {
		case "starts":
			t.add(place.GetTarget(), place.GetPartition(), soon(st, now), st.GetHolds(), strings.Join(st.GetIslands(), "+"), st.GetNodes(), leavers(st, now), "")
		case "waits":
			b := place.GetBlockers()
			t.add(place.GetTarget(), place.GetPartition(), o.later(place), "", "", 0, codesOf(b), textOf(b))
		default:
			t.add(place.GetTarget(), place.GetPartition(), "refused", "", "", 0, place.GetCode(), place.GetText())
		}
	}
	return t
}

// soon says when something starts that starts: now, or once others have left.
func soon(st *musterv1.Start, now time.Time) string {
	if late := st.GetAt().AsTime().Sub(now); late > 0 {
		return "within " + short(late)
	}
	return "now"
}

// leavers says who must leave first: for it, or anyhow.
func leavers(st *musterv1.Start, now time.Time) string {
	if len(st.GetEvicts()) == 0 && st.GetEvictsOthers() == 0 && st.GetAt().AsTime().After(now) {
		return "others are leaving"
	}
	return words.Work(st.GetEvicts(), st.GetEvictsOthers(), 3)
}

// later says when something starts that would wait.
func (o *fitOptions) later(place *musterv1.Place) string {
	c := o.clock()
	switch f := place.GetForecast(); {
	case place.GetAnswer() == "impossible":
		return "impossible"
	case f.GetKnown():
		return fmt.Sprintf("p50 %s, p90 %s", c.moment(f.GetP50().AsTime()), c.moment(f.GetP90().AsTime())) // as when says it
	}
	return "not known"
}

func codesOf(list []*musterv1.Blocker) string {
	var codes []string
	for _, b := range list {
		codes = append(codes, b.GetCode())
	}
	return strings.Join(codes, ", ")
}

func textOf(list []*musterv1.Blocker) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].GetText()
}
