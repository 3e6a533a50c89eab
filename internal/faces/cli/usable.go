package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// usable asks what the caller can use now.
func (o *freeOptions) usable(ctx context.Context) (answer, error) {
	home := o.home(o.app)
	res, err := o.usableIn(ctx, home)
	if err != nil {
		return answer{}, err
	}
	if o.output == "svg" {
		return answer{picture: stairs(res)}, nil
	}
	var asks []*musterv1.FlexAsk
	for _, f := range res.GetFlex() {
		if f.GetLargestGang() > 0 {
			asks = append(asks, &musterv1.FlexAsk{Partition: f.GetPartition(), Gpus: f.GetLargestGang()})
		}
	}
	odds := o.flexOdds(ctx, &o.asOf, asks)
	return answer{message: res, table: usableTable(res), tail: func(p *page) {
		p.counted(res.GetQuotas())
		p.nothingStarts(res)
		p.outlook(res.GetFlex(), home)
		p.odds(odds)
	}}, nil
}

// usableIn asks about a cluster or a partition, or about a quota and those under it.
func (o *freeOptions) usableIn(ctx context.Context, home string) (*musterv1.UsableResponse, error) {
	ask := &musterv1.UsableRequest{AsOf: o.asOf.message(), Scope: o.scope, Namespace: home, All: o.all}
	if !mustBeQuota(o.scope) {
		res, err := o.client().Capacity.Usable(ctx, ask)
		if !refusedAs(err, "NoSuchPartition") {
			return res, err
		}
	}
	ask.Scope = ""
	all, err := o.client().Capacity.Usable(ctx, ask)
	if err != nil {
		return nil, err
	}
	all.Flex = nil
	all.Quotas = slices.DeleteFunc(all.GetQuotas(), func(q *musterv1.UsableQuota) bool {
		return q.GetQuota() != o.scope && !strings.HasPrefix(q.GetQuota(), o.scope+"/")
	})
	if len(all.GetQuotas()) == 0 {
		return nil, o.noRoomIn(ctx)
	}
	return all, nil
}

// mustBeQuota says whether a scope has more parts than a partition's name has.
func mustBeQuota(scope string) bool { return strings.Count(scope, "/") > 1 }

// refusedAs says whether an error is a refusal with this code.
func refusedAs(err error, code string) bool {
	var no *client.Refusal
	return errors.As(err, &no) && no.Code == code
}

// noRoomIn says why a name has no row: there is such a quota, which the caller may not target
// or which has no grant; or there is nothing of that name.
func (o *freeOptions) noRoomIn(ctx context.Context) error {
	_, err := o.client().Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{AsOf: o.asOf.message(), Path: o.scope})
	switch {
	case refusedAs(err, "NoSuchQuota"):
		return o.nothingNamed(ctx)
	case err != nil:
		return err
	}
	return usage("%s has no grant that you may use; muster quota show %s says what it has and who may target it", o.scope, o.scope)
}

// nothingNamed is the refusal of a name that neither a quota has nor a cluster or a partition, with
// the one that was meant.
func (o *freeOptions) nothingNamed(ctx context.Context) error {
	all, err := o.client().Capacity.Usable(ctx, &musterv1.UsableRequest{AsOf: o.asOf.message(), All: true})
	if err != nil {
		return err
	}
	var names []string
	for _, q := range all.GetQuotas() {
		names = append(names, q.GetQuota())
	}
	for _, f := range all.GetFlex() {
		names = append(names, f.GetPartition())
	}
	return &client.Refusal{Code: "NoSuchQuota", Message: fmt.Sprintf("there is no quota, cluster or partition %.80q%s", o.scope, orElse(text.Meant(o.scope, names), "; "+thereAre(names)))}
}

// thereAre lists names, each once.
func thereAre(names []string) string {
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return "there are none yet"
	}
	return "there are " + text.Few(names, 10)
}

func usableTable(res *musterv1.UsableResponse) *table {
	t := newTable("There is nothing to use yet; muster apply -f FILE adds clusters and quotas.",
		column{head: "TARGET", name: true}, column{head: "PARTITION", name: true},
		column{head: "FREE", right: true}, column{head: "RESERVED", right: true, spare: true}, column{head: "LARGEST GANG", right: true}, column{head: "BORROW", right: true},
		column{head: "HELD FOR YOU", right: true, spare: true}, column{head: "HELD", right: true, spare: true},
		column{head: "OF", right: true}, column{head: "USAGE", right: true}, column{head: "WAITING", right: true},
		column{head: "OPEN", spare: true}, column{head: "NEXT", spare: true}, column{head: "WHAT THEN", spare: true, wide: true},
	)
	for _, q := range res.GetQuotas() {
		t.add(q.GetQuota(), q.GetPartition(), q.GetFree(), q.GetReserved(), q.GetLargestGang(), q.GetBorrow(), q.GetHeldForYou(), q.GetHeld(), q.GetBacked(), q.GetUsage(), q.GetWaiting(), words.UnlistedOf(q).Mark, q.GetNext(), q.GetNextWhat())
	}
	for _, f := range res.GetFlex() {
		t.add("flex", f.GetPartition(), f.GetFree(), f.GetReserved(), f.GetLargestGang(), 0, 0, 0, f.GetFlex(), f.GetHolds(), f.GetWaiting(), "", f.GetNext(), f.GetNextWhat())
	}
	return t
}

// counted says that what a quota has includes room on which flex work stands: it is the quota's (semantics §5).
func (p *page) counted(quotas []*musterv1.UsableQuota) {
	if len(quotas) > 0 {
		p.wrapAs("", "FREE and BORROW of a quota count the GPUs on which flex work stands, too: that work leaves when the quota's comes. FREE of flex is what no work holds.")
	}
}

// nothingStarts says in which partitions nothing new starts, and why.
func (p *page) nothingStarts(res *musterv1.UsableResponse) {
	why := map[string]string{}
	for _, q := range res.GetQuotas() {
		why[q.GetPartition()] = q.GetStartsNothing()
	}
	for _, f := range res.GetFlex() {
		why[f.GetPartition()] = f.GetStartsNothing()
	}
	p.barred(why)
}

// barred says of partitions why nothing new starts there; "": it may.
func (p *page) barred(why map[string]string) {
	for _, in := range slices.Sorted(maps.Keys(why)) {
		if why[in] != "" {
			p.wrapAs("", "Nothing new starts in "+in+": "+why[in]+".")
		}
	}
}

// startsNothing is why nothing new starts, by partition of a cluster, of a partition or of the fleet. Where the server
// does not say, there is only less to tell.
func (a *app) startsNothing(ctx context.Context, asOf *moment, scope string) map[string]string {
	why := map[string]string{}
	res, err := a.client().Capacity.Usable(ctx, &musterv1.UsableRequest{AsOf: asOf.message(), Scope: scope})
	if err != nil {
		return why
	}
	for _, f := range res.GetFlex() {
		if f.GetStartsNothing() != "" {
			why[f.GetPartition()] = f.GetStartsNothing()
		}
	}
	return why
}

// outlook says how long flex may last.
func (p *page) outlook(pools []*musterv1.UsableFlex, namespace string) {
	pools = slices.DeleteFunc(slices.Clone(pools), func(f *musterv1.UsableFlex) bool { return f.GetStartsNothing() != "" })
	if len(pools) > 0 {
		p.say("")
	}
	for _, f := range pools {
		p.wrapAs("", f.GetPartition()+": quotas may call back "+grouped(int64(f.GetCallable()))+" of its "+text.Count(f.GetFlex(), "flex GPU")+
			" at any moment; "+namespace+" holds "+grouped(int64(f.GetHolds()))+", and its fair share is up to "+grouped(int64(f.GetShare()))+"."+beyondFree(f))
	}
}

// beyondFree says how much of flex the namespace may take from others, where less than its share is free; "": none.
func beyondFree(f *musterv1.UsableFlex) string {
	most := f.GetShare() - f.GetHolds()
	if most <= f.GetFree() {
		return ""
	}
	return fmt.Sprintf(" It may have up to %s more, also where fewer are free: work of namespaces above their share gives way, once that has run its minimum time.", text.Count(most, "GPU"))
}
