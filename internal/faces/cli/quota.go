package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newQuota(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "quota", Aliases: []string{"quotas"}, Short: "quotas: list, show, create, delete, grant, transfer, hold, access, owner, history, request, requests, offer, answer, withdraw"}
	return group(cmd, newQuotaList(a), newQuotaShow(a), newQuotaCreate(a), newQuotaDelete(a), newQuotaGrant(a),
		newQuotaTransfer(a), newQuotaHold(a), newQuotaAccess(a), newQuotaOwner(a), newQuotaHistory(a),
		newQuotaRequest(a), newQuotaRequests(a), newQuotaOffer(a), newQuotaAnswer(a), newQuotaWithdraw(a))
}

// quotaListOptions are those of `muster quota list`.
type quotaListOptions struct {
	*app
	reading
	under, partition string
	mine             bool
}

func newQuotaList(a *app) *cobra.Command {
	o := &quotaListOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list [QUOTA]",
		Aliases: []string{"ls"},
		Short:   "list quotas with their figures, those under one, or all",
		Long: `List shows the GPUs of each quota, partition by partition. Assigned is what people granted it. Backed is
the part that stands on promisable nodes now, which its researchers can count on. Then follow what its
workloads use, and what siblings borrow or lend. GANG NOW is the largest gang that its researchers could
start guaranteed now, in one island. A grant whose declared gang lies in no island whole is flagged
GangUnbacked. A grant of which a part fills no whole node is flagged NotWholeNodes: nothing can back that part.
A quota without an access list is marked: open, then everybody may target it; or closed, where
people sign in, then only those may who may set its list. With --mine the list has the quotas whose access list
names you, a group or a namespace of yours.`,
		Example: "  muster quota list research\n  muster quota list --mine\n  muster quota list --partition tiger/h200 -o wide",
		Args:    needs(0, 1, "at most one quota"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.under = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.partition, "partition", "", "only figures of this partition")
	cmd.Flags().BoolVar(&o.mine, "mine", false, "only quotas whose access list names you, a group or a namespace of yours")
	return cmd
}

func (o *quotaListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{AsOf: o.asOf.message(), Under: o.under, Partition: o.partition})
	if err != nil {
		return answer{}, err
	}
	if o.mine {
		return o.mineAnswer(ctx, res)
	}
	return answer{message: res, table: quotaTable(res.GetQuotas()), tail: func(p *page) { p.bare(res.GetQuotas()) }}, nil
}

// bare names the quotas without grants in one line: they have no figures.
func (p *page) bare(quotas []*musterv1.Quota) {
	var names []string
	for _, q := range quotas {
		if len(q.GetGrants()) == 0 {
			names = append(names, strings.TrimSuffix(q.GetPath()+" ("+words.UnlistedOf(q).Brief+")", " ()"))
		}
	}
	if len(names) > 0 {
		p.say("\nWithout grants: %s", words.Few(names, 8))
	}
}

func quotaTable(quotas []*musterv1.Quota) *table {
	t := newTable("There are no quotas with grants here; muster quota grant gives one a grant.",
		column{head: "QUOTA", folds: true}, column{head: "PARTITION", name: true},
		column{head: "ASSIGNED", right: true}, column{head: "GANG", right: true, spare: true}, column{head: "BACKED", right: true},
		column{head: "UNBACKED", right: true, wide: true}, column{head: "USAGE", right: true},
		column{head: "GUARANTEED", right: true, wide: true}, column{head: "BORROWING", right: true, wide: true},
		column{head: "UNPROTECTED", right: true, wide: true}, column{head: "SCHEDULED", right: true, wide: true},
		column{head: "UNSCHEDULED", right: true, wide: true},
		column{head: "BORROWED", right: true, wide: true}, column{head: "LENT", right: true, wide: true},
		column{head: "OVER", right: true, wide: true}, column{head: "HELD", right: true, wide: true},
		column{head: "LARGEST GANG", brief: "GANG NOW", right: true}, column{head: "LARGEST PIECE", right: true, wide: true}, column{head: "OPEN", wide: true},
		column{head: "ISLANDS", wide: true}, column{head: "NOTE", spare: true, folds: true},
	)
	for _, q := range quotas {
		for _, g := range q.GetGrants() {
			t.add(q.GetPath(), g.GetPartition(), g.GetAssigned(), g.GetGang(), g.GetBacked(), g.GetUnbacked(), g.GetUsage(),
				g.GetGuaranteed(), g.GetBorrowing(), g.GetUnprotected(), g.GetScheduled(), g.GetUnscheduled(),
				g.GetBorrowed(), g.GetLent(), g.GetOver(), heldIn(q, g.GetPartition()), g.GetLargestGang(), g.GetLargestPiece(), words.UnlistedOf(q).Brief, islandsText(g.GetIslands()), noteOf(q, g))
		}
		if len(q.GetGrants()) == 0 {
			t.hide(q.GetPath(), "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, words.UnlistedOf(q).Brief, "", "")
		}
	}
	return t
}

// heldIn is the free capacity of a partition that is held for a quota.
func heldIn(q *musterv1.Quota, partition string) (gpus int32) {
	for _, h := range q.GetHolds() {
		if h.GetPartition() == partition && !inside(h) {
			gpus += h.GetGpus()
		}
	}
	return gpus
}

func islandsText(gpus map[string]int32) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(gpus)) {
		parts = append(parts, fmt.Sprintf("%s:%d", name, gpus[name]))
	}
	return strings.Join(parts, " ")
}

// noteOf is the note of a quota's grant, with the figures that most grants lack, and with what of it is held for whom.
func noteOf(q *musterv1.Quota, g *musterv1.Grant) string {
	var parts []string
	if text := note(g); text != "" {
		parts = append(parts, text)
	}
	for _, one := range []struct {
		n    int32
		text string
	}{
		{g.GetUnbacked(), "%d unbacked"},
		{g.GetUnprotected(), "%d unprotected"},
		{g.GetBorrowed(), "%d borrowed"},
		{g.GetLent(), "%d lent"},
		{heldIn(q, g.GetPartition()), "%d held for it"},
	} {
		if one.n != 0 {
			parts = append(parts, fmt.Sprintf(one.text, one.n))
		}
	}
	if mark := words.UnlistedOf(q).Mark; mark != "" {
		parts = append(parts, mark)
	}
	for _, h := range q.GetHolds() {
		if h.GetPartition() == g.GetPartition() && inside(h) {
			parts = append(parts, fmt.Sprintf("%d held for %s", h.GetGpus(), holderOf(h)))
		}
	}
	return strings.Join(parts, ", ")
}

// note says a grant's flags, and what its gang lacks.
func note(g *musterv1.Grant) string {
	parts := slices.Clone(g.GetFlags())
	if t := g.GetTemporary(); t != nil {
		parts = append(parts, fmt.Sprintf("%d until %s", t.GetGpus(), weekday(t.GetUntil().AsTime())))
	}
	if g.GetGangMissing() > 0 {
		parts = append(parts, fmt.Sprintf("gang lacks %d in %s", g.GetGangMissing(), cmp.Or(g.GetGangIsland(), "no island yet")))
	}
	if n := len(g.GetIslands()); n > 1 && g.GetLargestPiece() < g.GetBacked() {
		parts = append(parts, fmt.Sprintf("backed in %s, at most %s in one", text.Count(n, "island"), text.Group(g.GetLargestPiece())))
	}
	if g.GetStale() {
		parts = append(parts, "stale")
	}
	return strings.Join(parts, ", ")
}

// quotaShowOptions are those of `muster quota show`.
type quotaShowOptions struct {
	*app
	reading
	path string
}

func newQuotaShow(a *app) *cobra.Command {
	o := &quotaShowOptions{app: a}
	cmd := &cobra.Command{
		Use:     "show QUOTA",
		Short:   "show one quota: its figures, islands, holds and who may target it",
		Example: "  muster quota show research/oak",
		Args:    needs(1, 1, "the path of one quota"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.path = args[0]
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *quotaShowOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{AsOf: o.asOf.message(), Path: o.path})
	if err != nil {
		return answer{}, err
	}
	q := res.GetQuota()
	ans := answer{message: res, rows: quotaTable([]*musterv1.Quota{q}), lead: func(p *page) { p.quota(q) }}
	if o.output == "svg" {
		ans.picture, err = o.timelines(ctx, o.path, &o.reading)
	}
	return ans, err
}

func (p *page) quota(q *musterv1.Quota) {
	p.say("%s  %s", p.paint.paint(strong, q.GetPath()), accessText(q))
	if q.GetOwner() != "" {
		p.say("%s answers for it", q.GetOwner())
	}
	for _, g := range q.GetGrants() {
		p.say("")
		p.grant(g)
	}
	for _, h := range q.GetHolds() {
		p.say("\n%s until %s", holdText(h), p.moment(h.GetUntil().AsTime()))
	}
	if len(q.GetGrants()) == 0 {
		p.say("It has no grants; muster quota grant gives it one.")
	}
}

// saysOf explains figures that are told apart by whether the quota's GPUs are counted, or those that its work holds so.
var saysOf = map[string]string{
	"borrowing":   "held by work that quotas of its tree may evict",
	"borrowed":    "usage above what is backed: backing that siblings leave unscheduled covers it",
	"lent":        "unscheduled backing that siblings use",
	"unprotected": "held by work that may be evicted; a gang is protected whole or not at all",
	"over (cut)":  "usage above what is backed and borrowed: so much of it nothing covers",
}

func (p *page) grant(g *musterv1.Grant) {
	p.say("%s", g.GetPartition())
	most := max(g.GetAssigned(), g.GetUsage())
	for _, one := range []struct {
		name  string
		n     int32
		style style
	}{{"assigned", g.GetAssigned(), uncoloured}, {"backed", g.GetBacked(), good}, {"usage", g.GetUsage(), waiting}} {
		p.say("  %-10s %s %7s", one.name, p.paint.paint(one.style, bar(one.n, most, 40)), number(int64(one.n)))
	}
	for _, one := range []struct {
		name string
		n    int32
	}{
		{"gang", g.GetGang()},
		{"gang now", g.GetLargestGang()},
		{"one piece", g.GetLargestPiece()},
		{"unbacked", g.GetUnbacked()},
		{"scheduled", g.GetScheduled()},
		{"unscheduled", g.GetUnscheduled()},
		{"guaranteed", g.GetGuaranteed()},
		{"borrowing", g.GetBorrowing()},
		{"unprotected", g.GetUnprotected()},
		{"borrowed", g.GetBorrowed()},
		{"lent", g.GetLent()},
		{"over (cut)", g.GetOver()},
		{"idle", g.GetIdle()},
	} {
		if one.n != 0 {
			p.say("%s", strings.TrimRight(fmt.Sprintf("  %-11s %7s  %s", one.name, grouped(int64(one.n)), saysOf[one.name]), " "))
		}
	}
	p.indented("islands", islandsText(g.GetIslands()))
	p.indented("ends", p.ends(g))
	p.indented("note", note(g))
}

// ends says what of a grant ends by itself; "": nothing.
func (p *page) ends(g *musterv1.Grant) string {
	t := g.GetTemporary()
	if t == nil {
		return ""
	}
	text := fmt.Sprintf("%s %s (%s); %s last. %s granted them", text.Counted(t.GetGpus(), "GPU ends", "GPUs end"), weekday(t.GetUntil().AsTime()), p.clock.until(t.GetUntil().AsTime()), text.Group(g.GetAssigned()-t.GetGpus()), t.GetBy())
	if t.GetReason() != "" {
		text += ": " + t.GetReason()
	}
	return text
}

func (p *page) indented(name, value string) {
	if value != "" {
		p.say("  %-11s %s", name, value)
	}
}

// accessText says who may target a quota.
func accessText(q *musterv1.Quota) string {
	if door := words.UnlistedOf(q); door.Brief != "" {
		return door.Brief
	}
	return listText(q.GetAccess())
}

// listText says what a list is, whatever a server makes of one that is empty.
func listText(a *musterv1.Access) string {
	return words.Listed(a.GetUsers(), a.GetGroups(), a.GetNamespaces(), math.MaxInt)
}
