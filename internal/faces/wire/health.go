package wire

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Warnings are what everybody must see of some partitions, each with its key and
// with who acknowledged it. Bursts that were judged are none. They name work that may be named.
func Warnings(s *fleet.State, list []*fleet.Partition, named SeesIn, now fleet.Instant) []*musterv1.Warning {
	var all []*musterv1.Warning
	for _, p := range list {
		all = append(all, warningsOf(p, named)...)
	}
	acknowledged(s, all, now)
	return all
}

// acknowledged says of warnings who acknowledged them.
func acknowledged(s *fleet.State, list []*musterv1.Warning, now fleet.Instant) {
	for _, w := range list {
		if a, ok := s.AcknowledgedAt(w.GetKey(), now); ok {
			w.AcknowledgedBy, w.Until, w.Reason = a.By, Instant(a.Until), a.Reason
		}
	}
}

func warningsOf(p *fleet.Partition, named SeesIn) []*musterv1.Warning {
	var list []*musterv1.Warning
	say := func(kind string, since fleet.Instant, format string, args ...any) {
		list = append(list, &musterv1.Warning{Key: kind + " " + since.Time().UTC().Format(time.RFC3339Nano), Text: fmt.Sprintf(format, args...)})
	}
	if h := p.Health; h.Tripped != 0 {
		say("breaker "+p.ID, h.Tripped, "BREAKER OPEN in %s since %s: signals asked for %s at once. Automation has stopped there and waits for a person: muster health reset %s --reason ...",
			p.ID, text.WeekdayExact(h.Tripped.Time()), text.Count(h.TrippedNodes, "node"), p.ID)
	}
	if why := p.Halted(); why != "" {
		list = append(list, &musterv1.Warning{Key: "halted " + p.ID, Text: fmt.Sprintf("HALTED in %s: %s. Nothing new is decided there, and what runs goes on: muster health reset %s --reason ...", p.ID, why, p.ID)})
	}
	for _, b := range p.Health.Bursts {
		if !b.Real && b.Judged == 0 {
			say("burst "+p.ID+" "+b.Signature, b.Since, "BURST in %s since %s: %q on %s at once points to %s, not to the nodes. No node was taken out of service",
				p.ID, text.WeekdayExact(b.Since.Time()), b.Signature, text.Count(b.Nodes, "node"), PointsTo(b, named(p)))
		}
	}
	return list
}

// PartitionBanners is what everybody must see of a partition.
func PartitionBanners(p *fleet.Partition, named SeesIn) []string {
	return Banners([]*fleet.Partition{p}, named)
}

// Banners is what everybody must see of some partitions.
func Banners(list []*fleet.Partition, named SeesIn) []string {
	var all []string
	for _, p := range list {
		for _, w := range warningsOf(p, named) {
			all = append(all, w.GetText())
		}
	}
	return all
}

// SeesIn says of a partition whether a workload there may be told by its name, as namespace/name.
type SeesIn func(*fleet.Partition) func(full string) bool

// PointsTo is what a burst points to. That is a workload, or a monitor.
func PointsTo(b *fleet.Burst, named func(full string) bool) string {
	if full, is := strings.CutPrefix(b.Accuses, "workload "); is && !named(full) {
		return "one workload"
	}
	return b.Accuses
}

// PartitionHealth is what automation did, and wants to do, in a partition. It names work that may be named.
func PartitionHealth(h view.PartitionHealth, named func(full string) bool) *musterv1.PartitionHealth {
	out := &musterv1.PartitionHealth{
		Partition: h.Partition, Nodes: int32(h.Nodes), Automatic: int32(h.Automatic), Allowed: int32(h.Allowed), Shadow: h.Shadow,
		Tripped: Instant(h.Tripped), TrippedNodes: int32(h.TrippedNodes),
	}
	for _, c := range h.States {
		out.States = append(out.States, &musterv1.StateCount{
			State: string(c.State), Cause: c.Cause, Owner: string(c.Owner), Nodes: int32(c.Nodes), Gpus: int32(c.GPUs),
		})
	}
	for _, b := range h.Bursts {
		out.Bursts = append(out.Bursts, &musterv1.Burst{
			Signature: b.Signature, Since: Instant(b.Since), Nodes: int32(b.Nodes), Accuses: PointsTo(b, named), Real: b.Real,
		})
	}
	for _, n := range h.Waiting {
		out.Waiting = append(out.Waiting, waitingNode(n))
	}
	return out
}

func waitingNode(n view.NodeHealth) *musterv1.WaitingNode {
	out := &musterv1.WaitingNode{
		Node: n.Node, State: string(n.State), Owner: string(n.Owner), Want: string(n.Want), Held: string(n.Held),
	}
	for _, f := range n.Findings {
		if f.Then != "" {
			out.Because = fleet.OutageCause(health.Words(f.Condition))
			break
		}
	}
	return out
}

// Conditions lists what is remembered of a partition's nodes, or of those that are named.
func Conditions(s *fleet.State, p *fleet.Partition, at fleet.Instant, m *musterv1.ListSignalsRequest, names []string) []*musterv1.Condition {
	findings := map[*fleet.Condition]health.Finding{}
	for _, v := range health.Diagnose(s, p, at).Verdicts {
		for _, f := range v.Findings {
			findings[f.Condition] = f
		}
	}
	var list []*musterv1.Condition
	for _, k := range p.Ailing() {
		n := p.Nodes[k]
		if n.Health == nil || len(names) > 0 && !slices.Contains(names, n.Name) {
			continue
		}
		for _, c := range inTime(n.Health.Conditions) {
			f, live := findings[c]
			if live || m.GetAll() {
				if row := condition(p, n, c, f, live, s.HealthPolicy()); !m.GetUnknown() || row.GetRule() == "" {
					list = append(list, row)
				}
			}
		}
	}
	return list
}

// inTime are conditions in the order in which they were seen first, as the faults and changes beside them.
func inTime(list []*fleet.Condition) []*fleet.Condition {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *fleet.Condition) int { return cmp.Compare(a.Since, b.Since) })
}

func condition(p *fleet.Partition, n *fleet.Node, c *fleet.Condition, f health.Finding, live bool, policy *fleet.HealthPolicy) *musterv1.Condition {
	out := &musterv1.Condition{
		Node: n.Name, Partition: p.ID, Agent: c.Agent, Check: c.Check, Component: c.Component, Codes: c.Codes,
		Fatal: c.Fatal, StoreOnly: c.StoreOnly, Action: c.Action, Message: c.Message,
		Since: Instant(c.Since), Last: Instant(c.Last), Cleared: Instant(c.Cleared), Count: int32(c.Count), Live: live,
		Rule: f.Rule, Asks: string(f.Then), Held: string(f.Held),
	}
	for _, e := range c.Entities {
		out.Entities = append(out.Entities, e.String())
	}
	for i := range policy.Rules {
		if out.Rule == "" && policy.Rules[i].Knows(c) {
			out.Rule = policy.Rules[i].Name
		}
	}
	return out
}

// NodeHealth is all that is known about the health of one node.
func NodeHealth(s *fleet.State, p *fleet.Partition, n *fleet.Node, at fleet.Instant) *musterv1.NodeHealthResponse {
	row, _ := view.NodeHealthOf(s, n.Name, at)
	out := &musterv1.NodeHealthResponse{
		Node: waitingNode(row), Partition: p.ID, Since: Instant(n.Since), Signal: n.Signal, Born: Instant(n.Born),
		Conditions: Conditions(s, p, at, &musterv1.ListSignalsRequest{All: true}, []string{n.Name}),
	}
	if h := n.Health; h != nil {
		out.Faults, out.Needs = Faults(h.Faults), append([]string(nil), h.Needs...)
		if v := h.Validation; v != nil {
			out.Validation = &musterv1.Validation{At: Instant(v.At), Passed: v.Passed, Checks: append([]string(nil), v.Checks...), Note: v.Note}
		}
	}
	return out
}

// Faults is the recorded faults of a node.
func Faults(list []fleet.Fault) []*musterv1.Fault {
	out := make([]*musterv1.Fault, len(list))
	for i, f := range list {
		out[i] = &musterv1.Fault{At: Instant(f.At), Back: Instant(f.Back), Signal: f.Signal, Again: f.Again}
	}
	return out
}

// HungWork lists the work that hangs in some partitions, in order of submission: what the reader may read, and
// how much else.
func HungWork(s *fleet.State, list []*fleet.Partition, sees view.Sees, at fleet.Instant) (rows []*musterv1.HungWork, others int32) {
	var found []*fleet.Workload
	look := func(work []*fleet.Workload) {
		for _, w := range work {
			switch {
			case w.Usage == nil || !view.Hung(s, w, at):
			case sees.May(w):
				found = append(found, w)
			default:
				others++
			}
		}
	}
	for _, p := range list {
		for _, a := range p.Accounts {
			look(a.Work())
		}
		look(p.FlexWork())
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	rows = make([]*musterv1.HungWork, len(found))
	for i, w := range found {
		rows[i] = &musterv1.HungWork{
			Namespace: w.Namespace, Name: w.Name, Partition: w.Where, Gpus: int32(w.GPUs()), Still: durationpb.New(w.StillFor(at)),
		}
	}
	return rows, others
}

// Trouble is what an explanation says beside its blockers: why a workload
// failed, that it hangs, and which incidents touch where it is.
func Trouble(out *musterv1.WhyResponse, s *fleet.State, w *fleet.Workload, at fleet.Instant) {
	if f := w.Failure; f != nil {
		out.Failure = &musterv1.Failure{At: Instant(f.At), Cause: string(f.Cause), Nodes: append([]string(nil), f.Nodes...)}
		for _, e := range f.Evidence {
			out.Failure.Evidence = append(out.Failure.Evidence, &musterv1.Evidence{Node: e.Node, At: Instant(e.At), Says: strings.Replace(e.Says, "its 1 nodes", "its node", 1)})
		}
	}
	if view.Hung(s, w, at) {
		out.Hung = durationpb.New(w.StillFor(at))
	}
	if w.State.Ended() {
		return
	}
	for _, p := range s.Partitions {
		if w.Where == p.ID || w.Where == "" && (w.Partition == p.ID || w.Partition == "" && mayRunIn(w, p)) {
			out.Incidents = append(out.Incidents, incidentsOn(s, w, p)...)
		}
	}
	slices.Sort(out.Incidents)
	out.Incidents = slices.Compact(out.Incidents)
}

// incidentsOn names the open incidents that touch a workload: in the partition where it may
// start, or at the nodes where it stands.
func incidentsOn(s *fleet.State, w *fleet.Workload, p *fleet.Partition) (names []string) {
	for _, i := range s.Incidents {
		if i.Closed == 0 && i.Touches(p) && (w.At() == nil || i.TouchesWork(w)) {
			names = append(names, i.Name)
		}
	}
	return names
}

// mayRunIn says whether a workload that names no partition may wait for one.
func mayRunIn(w *fleet.Workload, p *fleet.Partition) bool {
	a := p.Account(w.Target)
	return w.Flexes() || a != nil && a.Grant > 0
}

// HealthPolicy is a policy as a message that names all of it.
func HealthPolicy(p fleet.HealthPolicy) *musterv1.HealthPolicy {
	budget := Share(p.Budget)
	m := &musterv1.HealthPolicy{
		Shadow: &p.Shadow, Budget: &budget,
		Breaker: &musterv1.BreakerPolicy{Share: Share(p.Breaker.Share), Least: int32(p.Breaker.Least), Within: durationpb.New(p.Breaker.Within)},
		Burst:   &musterv1.BurstPolicy{Nodes: int32(p.Burst.Nodes), Within: durationpb.New(p.Burst.Within), CoolDown: durationpb.New(p.Burst.CoolDown)},
		Flap:    &musterv1.FlapPolicy{Times: int32(p.Flap.Times), Within: durationpb.New(p.Flap.Within), CoolDown: durationpb.New(p.Flap.CoolDown)},
		Lemon:   &musterv1.LemonPolicy{Factor: Share(p.Lemon.Factor), Certainty: Share(p.Lemon.Certainty), Window: durationpb.New(p.Lemon.Window)},
		Hung:    durationpb.New(p.Hung), Rules: &musterv1.HealthRules{},
	}
	for _, r := range p.Rules {
		m.Rules.Rules = append(m.Rules.Rules, &musterv1.HealthRule{
			Name: r.Name, Agents: r.Agents, Checks: r.Checks, Codes: r.Codes, Actions: r.Actions, Fatal: r.Fatal, Then: string(r.Then),
			Times: int32(r.Times), Within: length(r.Within), Lasts: length(r.Lasts), Quiet: length(r.Quiet), Stays: length(r.Stays),
			Needs: r.Needs, Own: r.Own,
		})
	}
	return m
}
