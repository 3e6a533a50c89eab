package team

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// evictionsPath is the part of the page that says what was taken from a team, and what for it: the log is read for it.
const evictionsPath = "/part/evictions"

// How many evictions a page reads, and lists of each side.
const (
	mostRead  = 3000
	mostTaken = 60
)

// taken is one eviction: who left, for whom, and why it and no other.
type taken struct {
	words.Eviction
	record uint64
	at     time.Time
	victim *musterv1.Workload // nil: of work that the reader may not read
	winner *musterv1.Workload // nil: likewise
	gpus   int                // 0: not known
}

// takings are the evictions of a window that concern a team.
type takings struct {
	v        *frame.Visit
	quota    string
	window   string
	from     []taken // was taken from the team, the last first
	forIt    []taken // was taken from others for the team, the last first
	complete bool    // the log was read to the end of the window
	spaces   []string
}

// Evictions is what was taken from a quota's work and its namespaces' flex work, and what for them, in a window.
func Evictions(v *frame.Visit) (frame.Page, error) {
	m := takings{v: v, quota: v.Query("quota"), window: v.Query("window")}
	window, err := time.ParseDuration(m.window)
	if err != nil || window <= 0 {
		return frame.Page{}, frame.NoSpan("window", m.window)
	}
	all, err := m.read(v.At().Add(-window))
	if err != nil {
		return frame.Page{}, err
	}
	if m.spaces, err = m.namespaces(); err != nil {
		return frame.Page{}, err
	}
	m.share(all)
	return frame.Page{Part: true, Body: evictionsBody(m)}, nil
}

// read reads the evictions since a moment, the first ones first.
func (m *takings) read(since time.Time) (all []taken, err error) {
	ask := &musterv1.ListEventsRequest{AsOf: m.v.AsOf, Since: timestamppb.New(since), Kinds: []string{words.EvictionKind}, Limit: mostRead / 3}
	for !m.complete && len(all) < mostRead {
		l, err := m.v.Events.ListEvents(m.v.Ctx, ask)
		if err != nil {
			return nil, err
		}
		for _, r := range l.GetRecords() {
			for _, e := range r.GetEvents() {
				if one, ok := words.EvictionOf(e.GetKind(), e.GetData()); ok {
					all = append(all, taken{Eviction: one, record: r.GetSeq(), at: r.GetAt().AsTime()})
				}
			}
		}
		ask.From, m.complete = l.GetNext(), l.GetNext() == 0
	}
	return all, m.name(all)
}

// mostNamed is how many workloads are asked for at once. Of more the newest are named.
const mostNamed = 10_000

// name finds the workloads of evictions: those alone, for between them lie thousands of others.
func (m *takings) name(all []taken) error {
	var ids []uint64
	for _, t := range all {
		ids = append(ids, t.Workload, t.For)
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id uint64) bool { return id == 0 })
	if len(ids) == 0 {
		return nil
	}
	ids = ids[max(0, len(ids)-mostNamed):]
	l, err := m.v.Workloads.ListWorkloads(m.v.Ctx, &musterv1.ListWorkloadsRequest{States: words.WorkloadStates, Ids: ids, Limit: int32(len(ids))})
	if err != nil {
		return err
	}
	known := map[uint64]*musterv1.Workload{}
	for _, w := range l.GetWorkloads() {
		known[w.GetId()] = w
	}
	for i := range all {
		all[i].victim, all[i].winner = known[all[i].Workload], known[all[i].For]
		all[i].gpus = gpusOf(all[i].victim, all[i].Replicas)
	}
	return nil
}

// gpusOf is how many GPUs replicas of a workload have, by the numbers of their pools.
func gpusOf(w *musterv1.Workload, replicas map[int]int) (n int) {
	for pool, count := range replicas {
		if pools := w.GetSpec().GetPools(); pool < len(pools) {
			n += count * int(pools[pool].GetGpus())
		}
	}
	return n
}

// namespaces are those of a team: the ones that its access list names, and those whose work is in it.
func (m *takings) namespaces() ([]string, error) {
	q, err := m.v.Quotas.GetQuota(m.v.Ctx, &musterv1.GetQuotaRequest{AsOf: m.v.AsOf, Path: m.quota})
	if err != nil {
		return nil, err
	}
	l, err := m.v.Workloads.ListWorkloads(m.v.Ctx, &musterv1.ListWorkloadsRequest{AsOf: m.v.AsOf, Target: m.quota, Limit: 5000})
	list := slices.Clone(q.GetQuota().GetAccess().GetNamespaces())
	for _, w := range l.GetWorkloads() {
		if ns := w.GetSpec().GetNamespace(); !slices.Contains(list, ns) {
			list = append(list, ns)
		}
	}
	return list, err
}

// own says whether a workload is the team's: it targets its quota or one below, or it is flex work of its namespaces.
func (m *takings) own(w *musterv1.Workload) bool {
	target := w.GetSpec().GetTarget()
	return target == m.quota || strings.HasPrefix(target, m.quota+"/") || target == "flex" && slices.Contains(m.spaces, w.GetSpec().GetNamespace())
}

// share puts evictions on their sides, the last first.
func (m *takings) share(all []taken) {
	for _, t := range slices.Backward(all) {
		if m.own(t.victim) {
			m.from = append(m.from, t)
		} else if m.own(t.winner) {
			m.forIt = append(m.forIt, t)
		}
	}
}

// sums says how much was taken.
func sums(list []taken) string {
	gpus := 0
	for _, t := range list {
		gpus += t.gpus
	}
	return draw.Count(len(list), "eviction") + ", " + draw.Count(gpus, "GPU") + " in all"
}

// how says what of a workload left: all of it, or some replicas.
func (t taken) how() string {
	if t.Whole {
		return "all of it"
	}
	n := 0
	for _, count := range t.Replicas {
		n += count
	}
	return draw.Count(n, "replica")
}
