package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// endings is the last record that ended a thing, by the name of the thing. No command takes back what was
// changed about it before: a grant of a quota that is deleted cannot be set.
type endings map[string]uint64

// endedNow is later than every record: the thing is over in the state that is asked about.
const endedNow = math.MaxUint64

// endingKinds are the events that end what undo would change. Work and nodes are not among them: so much
// happens to these that the log has more of it than one answer, and where they stand is asked instead.
var endingKinds = []string{"quota.deleted", "hold.ended", "request.ended", "incident.closed", "haircut.deleted", "zone.set", "notice.set"}

// endings are what has ended of what some records changed, by whomever: a colleague may have deleted a quota.
func (o *undoOptions) endings(ctx context.Context, since *timestamppb.Timestamp, records []*musterv1.Record) (endings, error) {
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: o.asOf.message(), Kinds: endingKinds, Since: since, Limit: most})
	last := endings{}
	eachEvent(res.GetRecords(), func(r *musterv1.Record, kind string, f reversible) { last[ends(kind, f)] = r.GetSeq() })
	o.endedWork(ctx, records, last)
	o.endedStates(ctx, records, last)
	cancelOut(records, last)
	return last, err
}

// eachEvent calls fn with what undo needs of each event of some records.
func eachEvent(records []*musterv1.Record, fn func(r *musterv1.Record, kind string, f reversible)) {
	for _, r := range records {
		for _, e := range r.GetEvents() {
			var f reversible
			if json.Unmarshal([]byte(e.GetData()), &f) == nil {
				fn(r, e.GetKind(), f)
			}
		}
	}
}

// endedWork notes the work that was submitted and has ended.
func (o *undoOptions) endedWork(ctx context.Context, records []*musterv1.Record, last endings) {
	live := map[string]map[string]bool{}
	eachEvent(records, func(_ *musterv1.Record, kind string, f reversible) {
		if kind != "workload.submitted" {
			return
		}
		if live[f.Spec.Namespace] == nil {
			live[f.Spec.Namespace] = o.liveIn(ctx, f.Spec.Namespace)
		}
		if !live[f.Spec.Namespace][f.Spec.Name] {
			last[workThing(f)] = endedNow
		}
	})
}

// liveIn names the workloads of a namespace that have not ended.
func (o *undoOptions) liveIn(ctx context.Context, namespace string) map[string]bool {
	live := map[string]bool{}
	res, err := o.client().Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{AsOf: o.asOf.message(), Namespace: namespace, Limit: most})
	if err != nil {
		return live
	}
	for _, w := range res.GetWorkloads() {
		live[w.GetSpec().GetName()] = true
	}
	return live
}

// verbEnds are the states of a node in which the verb that takes a change back has nothing to do any more.
var verbEnds = map[string][]string{
	"uncordon": {"healthy", "probation"}, "cordon": {"suspect"}, "drain": {"maintenance"},
	setsHealthy: {"healthy"}, setsProbation: {"healthy", "probation"},
}

// endedStates notes the nodes that are where the command would bring them.
func (o *undoOptions) endedStates(ctx context.Context, records []*musterv1.Record, last endings) {
	var names []string
	eachEvent(records, func(_ *musterv1.Record, kind string, f reversible) {
		if kind == "node.changed" && nodeUndo(f) != "" && !slices.Contains(names, f.Node) {
			names = append(names, f.Node)
		}
	})
	if len(names) == 0 {
		return
	}
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{AsOf: o.asOf.message(), Names: names})
	if err != nil {
		return // they stay listed: the command itself says what is wrong
	}
	for _, n := range res.GetNodes() {
		for verb, states := range verbEnds {
			if slices.Contains(states, n.GetState()) {
				last[nodeThing(verb, n.GetName())] = endedNow
			}
		}
	}
}

func workThing(f reversible) string { return "work " + f.Spec.Namespace + "/" + f.Spec.Name }

func nodeThing(verb, node string) string { return verb + " " + node }

// ends is the thing that an event ends; "": none, as of a hold that is used in part.
func ends(kind string, f reversible) string {
	switch {
	case kind == "quota.deleted":
		return "quota " + f.Quota
	case kind == "hold.ended" && f.Left == 0:
		return fmt.Sprint("hold ", f.ID)
	case kind == "request.ended":
		return fmt.Sprint("request ", f.ID)
	case kind == "incident.closed":
		return "incident " + f.Name
	case kind == "zone.set" && f.Zone.Ended != 0:
		return "zone " + f.Zone.Name
	case kind == "notice.set" && f.Notice.Ended != 0:
		return "notice " + f.Notice.Name
	case kind == "update.set" && f.Update.Record.Withdrawn != 0:
		return "update " + f.Update.Name
	case kind == "haircut.deleted":
		return fmt.Sprint("haircut ", f.Haircut)
	}
	return ""
}

// since says whether a thing that an event of a record changed has ended after that record.
func (last endings) since(seq uint64, kind string, f reversible) bool {
	for _, thing := range append(changed(kind, f), nodeChange(seq, f.Node)) {
		if last[thing] > seq {
			return true
		}
	}
	return false
}

// changed are the things that must be there still for an event to be taken back.
func changed(kind string, f reversible) []string {
	switch kind {
	case "quota.created", "quota.owned", "grant.set":
		return []string{"quota " + f.Quota}
	case "grant.transferred":
		return []string{"quota " + f.From, "quota " + f.To}
	case "hold.placed":
		return []string{fmt.Sprint("hold ", f.Hold.ID)}
	case "request.made":
		return []string{fmt.Sprint("request ", f.Request.ID)}
	case "incident.opened":
		return []string{"incident " + f.Name}
	case "zone.set":
		return []string{"zone " + f.Zone.Name}
	case "notice.set":
		return []string{"notice " + f.Notice.Name}
	case "update.set":
		return []string{"update " + f.Update.Name}
	case "haircut.planned":
		return []string{"haircut " + f.plan()}
	case "workload.submitted":
		return []string{workThing(f)}
	case "node.changed":
		return []string{nodeThing(nodeUndo(f), f.Node)}
	}
	return nil
}
