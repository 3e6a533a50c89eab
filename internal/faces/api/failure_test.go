package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of a failed run, its nodes that changed within minutes are listed; not those of others, nor
// what was an hour before.
func TestAFailureListsWhatBefellItsNodes(t *testing.T) {
	h := furnished(t)
	h.submit(gang("run", "research/oak", 2))
	w, err := h.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "run"})
	must(t, err)
	stood := w.GetWorkload().GetNodes()
	set := func(name string, state fleet.NodeState) {
		t.Helper()
		_, err := h.engine.Do(t.Context(), core.Request{Command: core.SetNodes{Names: []string{name}, State: state, Signal: "no heartbeat"}, Actor: core.Reporter})
		must(t, err)
	}
	set(stood[0], fleet.Suspect)
	set(stood[0], fleet.Healthy)
	h.later(time.Hour)
	set(stood[1], fleet.Suspect)
	set("tiger-h200-i2-008", fleet.Suspect)
	h.later(2 * time.Minute)
	_, err = h.engine.Do(t.Context(), core.Request{Command: core.ReportFinished{ID: w.GetWorkload().GetId(), Failed: true}, Actor: core.Reporter})
	must(t, err)
	h.later(time.Minute)
	why, err := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "run"})
	must(t, err)
	equal(t, "its nodes", strings.Join(why.GetFailure().GetNodes(), " "), strings.Join(stood, " "))
	equal(t, "changes around it", len(why.GetFailure().GetAround()), 1)
	equal(t, "the node", why.GetFailure().GetAround()[0].GetNode(), stood[1])
	equal(t, "what is said", why.GetFailure().GetAround()[0].GetSays(), "goes from healthy to suspect, by its cluster: no heartbeat")
}

// Work whose node people took away is told who did it, how and why, and when; of a failed run that is
// said beside the node.
func TestWhoTookANodeFromWorkIsNamed(t *testing.T) {
	h := furnished(t)
	h.submit(gang("run", "research/oak", 2))
	w, err := h.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "run"})
	must(t, err)
	nodes := w.GetWorkload().GetNodes()
	s, err := h.System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	actor := s.GetActor()
	h.later(time.Minute)
	_, err = h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Names: nodes[:1], State: "retired", Write: &musterv1.Write{Reason: "sold"}})
	must(t, err)
	_, err = h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Names: nodes[1:2], State: "quarantined", Write: &musterv1.Write{Reason: "it smells"}})
	must(t, err)
	why, err := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "run", History: true})
	must(t, err)
	said := map[string]string{}
	for _, l := range why.GetHistory() {
		if l.GetKind() == "replicas.lost" {
			said[l.GetText()] = l.GetAt().AsTime().Format(time.RFC3339)
		}
	}
	at := noon.Add(time.Minute).Format(time.RFC3339)
	equal(t, "the retired node", said["left node "+nodes[0]+" with 1 replica: "+actor+" retired it (sold)"], at)
	if len(said) > 1 { // it was mended onto another node, or waits
		equal(t, "the quarantined node", said["left node "+nodes[1]+" with 1 replica: "+actor+" set it to quarantined (it smells)"], at)
	}
	_, err = h.engine.Do(t.Context(), core.Request{Command: core.ReportFinished{ID: w.GetWorkload().GetId(), Failed: true}, Actor: core.Reporter})
	must(t, err)
	h.later(time.Minute)
	why, err = h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "run"})
	must(t, err)
	for _, e := range why.GetFailure().GetAround() {
		if e.GetNode() == nodes[0] {
			equal(t, "beside the node", strings.HasSuffix(e.GetSays(), ": "+actor+" retired it (sold)"), true)
		}
	}
}

// A dry run names who is concerned: whose work would be unprotected, and whom that concerns.
func TestADryRunNamesWhoIsConcerned(t *testing.T) {
	h := furnished(t)
	_, err := h.Quotas.SetOwner(t.Context(), &musterv1.SetOwnerRequest{Path: "research/oak", Owner: "ada"})
	must(t, err)
	h.submit(gang("run", "research/oak", 4))
	r, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{
		Write: &musterv1.Write{DryRun: true, Reason: "a try"}, Quota: "research/oak", Partition: "tiger/h200", Gpus: 16,
	})
	must(t, err)
	notes := strings.Join(r.GetWritten().GetNotes(), "\n")
	for _, want := range []string{"1 workload of research/oak (32 GPUs) would run on unprotected", "oak/run (32 GPUs)", "This concerns ada"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in %q", want, notes)
		}
	}
}

// A dry run that overcommits says in GPUs what stays unbacked of the grant, and whose backing goes.
func TestADryRunSaysWhatStaysUnbacked(t *testing.T) {
	h := furnished(t)
	_, err := h.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "research/elm"})
	must(t, err)
	dry := &musterv1.Write{DryRun: true, Reason: "a try"}
	r, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Write: dry, Quota: "research/elm", Partition: "tiger/h200", Gpus: 400, Overcommit: true})
	must(t, err)
	equal(t, "notes", strings.Join(r.GetWritten().GetNotes(), "\n"),
		"1 grant in tiger/h200 would lose the backing of 24 GPUs: research/oak (24 of 32 GPUs).\n"+
			"Not backed in tiger/h200 then: research/elm (304 of 400 GPUs).")
}

// A dry run of a drain says how much work stands on the nodes and leaves, and which grants lose backing.
func TestADryRunOfADrainSaysItsSize(t *testing.T) {
	h := furnished(t)
	_, err := h.Quotas.SetOwner(t.Context(), &musterv1.SetOwnerRequest{Path: "research/oak", Owner: "ada"})
	must(t, err)
	h.submit(gang("run", "research/oak", 4))
	var nodes []string
	for i := 1; i <= 8; i++ {
		nodes = append(nodes, fmt.Sprintf("tiger-h200-i1-00%d", i), fmt.Sprintf("tiger-h200-i2-00%d", i))
	}
	r, err := h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Write: &musterv1.Write{DryRun: true}, Names: nodes[:14], State: "maintenance"})
	must(t, err)
	equal(t, "notes", strings.Join(r.GetWritten().GetNotes(), "\n"),
		"These 14 nodes run 1 workload (32 GPUs); 1 workload (32 GPUs) would leave. None would start elsewhere at once, whole or in part.\n"+
			"1 grant in tiger/h200 would lose the backing of 16 GPUs: research/oak (16 of 32 GPUs).\n"+
			"1 workload of research/oak (32 GPUs) would lose nodes: oak/run (32 GPUs). This concerns ada, root.")
	r, err = h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Write: &musterv1.Write{DryRun: true}, Names: nodes[:1], State: "maintenance"})
	must(t, err)
	if notes := strings.Join(r.GetWritten().GetNotes(), "\n"); !strings.Contains(notes, "would leave. 1 would start elsewhere at once, whole or in part.") {
		t.Errorf("a gang that is mended beside its own work is told as %q", notes)
	}
}

// Of a grant that is no number of whole nodes it is said before and after what of it nothing can ever back.
func TestAGrantSaysWhatFillsNoWholeNode(t *testing.T) {
	h := furnished(t)
	_, err := h.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "research/elm"})
	must(t, err)
	for _, dry := range []bool{true, false} {
		r, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Write: &musterv1.Write{DryRun: dry}, Quota: "research/elm", Partition: "tiger/h200", Gpus: 7})
		must(t, err)
		equal(t, "notes", strings.Join(r.GetWritten().GetNotes(), "\n"), "A node of tiger/h200 has 8 GPUs, and what fills no whole node is never backed: research/elm (7 of 7 GPUs).")
	}
	q, err := h.Quotas.GetQuota(t.Context(), &musterv1.GetQuotaRequest{Path: "research/elm"})
	must(t, err)
	equal(t, "flags", strings.Join(q.GetQuota().GetGrants()[0].GetFlags(), " "), "NotWholeNodes")
}

// Nodes that have the state already are named with who keeps them so, where else nothing would be said.
func TestADrainOfADrainedNodeSaysWhyNothingChanges(t *testing.T) {
	h := furnished(t)
	drain := func(dry bool, names ...string) string {
		r, err := h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Write: &musterv1.Write{DryRun: dry}, Names: names, State: "maintenance"})
		must(t, err)
		return strings.Join(r.GetWritten().GetNotes(), "\n")
	}
	equal(t, "first", drain(false, "tiger-h200-i1-001"), "")
	want := "tiger-h200-i1-001 is in maintenance already, for maintenance that is under way; muster describe node tiger-h200-i1-001 says since when and why."
	equal(t, "tried again", drain(true, "tiger-h200-i1-001"), want)
	equal(t, "again", drain(false, "tiger-h200-i1-001"), "Nothing changed: it was so already.\n"+want)
	equal(t, "with another", drain(false, "tiger-h200-i1-001", "tiger-h200-i1-002"), want)
}

// A drain says what it took from running work and from quotas, and the history of the node names the person who drained it.
func TestADrainNamesWhatItTookAndWhoDidIt(t *testing.T) {
	h := furnished(t)
	h.submit(gang("run", "research/oak", 4))
	var nodes []string
	for i := 1; i <= 7; i++ {
		nodes = append(nodes, fmt.Sprintf("tiger-h200-i1-00%d", i), fmt.Sprintf("tiger-h200-i2-00%d", i))
	}
	r, err := h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Names: nodes, State: "maintenance"})
	must(t, err)
	equal(t, "notes", strings.Join(r.GetWritten().GetNotes(), "\n"),
		"1 workload of research/oak (32 GPUs) has lost nodes: oak/run (32 GPUs). This concerns root.\n"+
			"Not backed in tiger/h200 now: research/oak (16 of 32 GPUs).")
	node, err := h.Health.NodeHealth(t.Context(), &musterv1.NodeHealthRequest{Node: nodes[0]})
	must(t, err)
	last := node.GetChanges()[len(node.GetChanges())-1]
	equal(t, "who drained it", last.GetTo()+" by "+last.GetBy(), "maintenance by operator:root")
}

// A change that leaves work unprotected says so in its answer, whatever its reason: an undo neither is silent.
func TestTheAnswerToACutNamesTheWork(t *testing.T) {
	h := furnished(t)
	h.submit(gang("run", "research/oak", 4))
	r, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{
		Write: &musterv1.Write{Reason: "undo 7"}, Quota: "research/oak", Partition: "tiger/h200", Gpus: 16,
	})
	must(t, err)
	notes := strings.Join(r.GetWritten().GetNotes(), "\n")
	for _, want := range []string{"1 workload of research/oak (32 GPUs) runs on unprotected now", "oak/run (32 GPUs)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in %q", want, notes)
		}
	}
	_, err = h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "rum"})
	if err == nil || !strings.Contains(err.Error(), "did you mean oak/run?") {
		t.Errorf("a name with a slip of the finger is answered with %v", err)
	}
}

// Targets of a moment are those of the clusters that the fleet had then.
func TestTargetsOfTheLastWeekNameNoClusterThatCameLater(t *testing.T) {
	h := furnished(t)
	h.later(50 * time.Hour)
	before := timestamppb.New(time.Unix(0, h.clock.Load()))
	h.later(2 * time.Hour)
	_, err := h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Changes: []*musterv1.Change{
		{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "lion"}}},
		{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{Cluster: "lion", Gpu: "h100"}}},
		{Change: &musterv1.Change_AddIslands{AddIslands: &musterv1.AddIslandsRequest{Partition: "lion/h100", Islands: []*musterv1.NewIsland{{Name: "i1", Nodes: 4}}}}},
	}})
	must(t, err)
	h.later(2 * time.Hour)
	clusters := func(at *timestamppb.Timestamp) (names string) {
		r, err := h.Past.Targets(t.Context(), &musterv1.TargetsRequest{AsOf: at})
		must(t, err)
		for _, one := range r.GetTargets() {
			if !strings.Contains(names, one.GetCluster()) {
				names += " " + one.GetCluster()
			}
		}
		return names
	}
	equal(t, "now", clusters(nil), " lion tiger")
	equal(t, "before", clusters(before), " tiger")
}
