package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	pictures "github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/state/text"
)

// promiseOptions are those of `muster promise`.
type promiseOptions struct {
	*app
	reading
	scope string
}

func newPromise(a *app) *cobra.Command {
	o := &promiseOptions{app: a}
	cmd := &cobra.Command{
		Use:   "promise [CLUSTER | CLUSTER/GPU]",
		Short: "whether promises were kept: realised coverage beside what each buffer policy claims",
		Long: `Promise says what became of every promise that was made. One is made at each full hour: over 24 hours of
what is promisable (of an island: its own share), over 28 days of what is sustainable. It is kept if
the whole healthy nodes never fall below it within that time.

  claimed   the share that the policy says will be kept; a fixed one claims nothing
  realised  the share that was kept, of those whose time is over
  buffer    mean of (installed − promised) ÷ installed

With -o wide islands too. Below stand the spares that each declared gang needs, so that it can be mended
from its own island.`,
		Example: "  muster promise\n  muster promise tiger/h200 -o wide\n  muster promise --as-of 30d",
		Args:    needs(0, 1, "at most one cluster or partition"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.AddCommand(newPromiseBroken(a))
	return cmd
}

func (o *promiseOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Promises.Promises(ctx, &musterv1.PromisesRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, table: o.promises(res), lead: func(p *page) {
		if len(res.GetPromises()) > 0 {
			p.wrapAs("", "All promises since the first one, each judged when its horizon is over. muster report health --since 7d counts those of a time.\n")
		}
	}, tail: func(p *page) { p.ofIslands(res.GetPromises()); p.spares(res.GetSpares()) }}
	if o.output == "svg" {
		ans.picture = draw.Coverages(pictures.Coverages(res.GetPromises()), draw.Wide)
	}
	for _, row := range res.GetPromises() {
		if row.Claimed != nil && row.Realised != nil && row.GetRealised() < row.GetClaimed() {
			ans.unmet = "a policy realised less than it claims in " + row.GetPartition()
		}
	}
	return ans, nil
}

func (o *promiseOptions) promises(res *musterv1.PromisesResponse) *table {
	t := newTable("No promise has been made yet: one is made at each full hour.",
		column{head: "PARTITION", name: true}, column{head: "ISLAND", spare: true, name: true}, column{head: "HORIZON"},
		column{head: "POLICY", cut: true}, column{head: "NOW"}, column{head: "BUFFER", right: true}, column{head: "REALISED", right: true},
		column{head: "CLAIMED", right: true}, column{head: "BROKEN", right: true}, column{head: "KEPT", right: true}, column{head: "OPEN", right: true, wide: true})
	for _, row := range res.GetPromises() {
		add := t.add
		if row.GetIsland() != "" && o.output == "table" {
			add = t.hide
		}
		now, policy := "", "several"
		if row.GetInForce() {
			now = "in force"
		}
		if row.GetPolicy() != nil {
			policy = bufferShort(row.GetPolicy())
		}
		add(row.GetPartition(), row.GetIsland(), spanOfHours(row.GetHorizonHours()), policy, now, percent(row.GetMeanBuffer()),
			realised(row), claimed(row), row.GetBroken(), row.GetKept(), row.GetOpen())
	}
	return t
}

func bufferShort(b *musterv1.Buffer) string {
	if b.Confidence != nil {
		return b.GetKind() + " " + share(b.GetConfidence())
	}
	return b.GetKind() + " " + share(b.GetShare())
}

func spanOfHours(hours int32) string {
	if hours > 24 && hours%24 == 0 {
		return number(int64(hours/24)) + " days"
	}
	return number(int64(hours)) + " h"
}

func realised(row *musterv1.Promises) mark {
	switch {
	case row.Realised == nil:
		return mark{"", uncoloured}
	case row.Claimed != nil && row.GetRealised() < row.GetClaimed():
		return mark{percent(row.GetRealised()), bad}
	}
	return mark{percent(row.GetRealised()), good}
}

func claimed(row *musterv1.Promises) string {
	if row.Claimed == nil {
		return ""
	}
	return percent(row.GetClaimed())
}

// ofIslands sums up the promises of the islands' own shares: a partition may keep its promise
// while an island breaks its own.
func (p *page) ofIslands(list []*musterv1.Promises) {
	var kept, broken int64
	for _, row := range list {
		if row.GetIsland() != "" {
			kept, broken = kept+row.GetKept(), broken+row.GetBroken()
		}
	}
	if kept+broken > 0 {
		p.say("")
		lists := map[bool]string{false: "; -o wide lists them", true: ""}[p.wide] // where they are listed already
		p.wrapAs("", fmt.Sprintf("Islands' own shares: %s of %s judged so far were broken%s.", grouped(broken), counted(kept+broken, "promise", "promises"), lists))
	}
}

func (p *page) spares(list []*musterv1.Spares) {
	if len(list) == 0 {
		return
	}
	p.say("\nSpares, so that a gang can be mended from its own island for a day with 99 %% confidence:")
	for _, s := range list {
		p.wrapAs("  ", p.spare(s))
	}
}

func (p *page) spare(s *musterv1.Spares) string {
	whose := fmt.Sprintf("%s in %s/%s: gang of %s", s.GetQuota(), s.GetPartition(), s.GetIsland(), text.Count(s.GetGang(), "node"))
	needs := fmt.Sprintf("needs %d more, %d healthy there", s.GetNeeded(), s.GetThere())
	switch {
	case s.GetMissing() > 0:
		return fmt.Sprintf("%s lacks %d of them itself, and %s: %s", whose, s.GetMissing(), needs, p.paint.paint(bad, "not enough"))
	case s.GetThere() < s.GetNeeded():
		return fmt.Sprintf("%s, %s: %s", whose, needs, p.paint.paint(bad, "not enough"))
	}
	return fmt.Sprintf("%s, %s: %s", whose, needs, p.paint.paint(good, "enough"))
}
