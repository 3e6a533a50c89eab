package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// at does commands at a moment after all records so far.
func (h *house) at(after time.Duration, commands ...core.Command) {
	h.t.Helper()
	for _, c := range commands {
		out, refusal := core.Step(h.s, core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}}, h.soon(after))
		if refusal != nil {
			h.t.Fatalf("%T: %v", c, refusal)
		}
		h.records = append(h.records, out.Record)
		if h.tells != nil {
			h.tells.hears(Notices(h.s, out.Record))
		}
	}
}

// yard lets lynx of capacity and puma of research be planned, with their cores there.
func yard(t *testing.T) *house {
	h := newHouse(t)
	takes := map[fleet.Step]time.Duration{}
	for _, s := range building {
		takes[s] = time.Hour
	}
	h.do(core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 10}}, Checkin: fleet.CheckinInventory, Mode: fleet.Enforce, Takes: takes,
	}})
	for _, c := range []struct{ name, owner string }{{"lynx", "capacity"}, {"puma", "research"}} {
		h.do(core.PlanCluster{Record: fleet.ClusterRecord{
			Name: c.name, Owner: c.owner, Subscription: "s", Region: "east", GPU: "h200", GPUsPerNode: 8, Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 2}},
		}})
	}
	h.at(time.Hour, core.ReportCounts{Subscription: "s", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: 100}}})
	return h
}

// building is the operations of a cluster's life, in order.
var building = []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices}

// ends reports how a cluster's operation ended.
func (h *house) ends(after time.Duration, cluster string, step fleet.Step, state fleet.OperationState, wrong string) {
	h.t.Helper()
	op := h.s.Life(cluster).Step(step).Operation
	c := core.ReportOperation{Cluster: cluster, Step: step, ID: op.ID, State: state, Error: wrong}
	if wrong != "" {
		c.Class = fleet.ErrorFix
	}
	h.at(after, c)
}

// seen says that steps which are only looked at hold.
func (h *house) seen(after time.Duration, cluster string, steps ...fleet.Step) {
	h.t.Helper()
	var list []fleet.StepEvidence
	for _, s := range steps {
		list = append(list, fleet.StepEvidence{Step: s, Holds: true, Generation: 1})
	}
	h.at(after, core.ReportEvidence{Cluster: cluster, Seen: list})
}

// builds lets a cluster come into production.
func (h *house) builds(after time.Duration, cluster string) {
	h.t.Helper()
	for _, s := range building {
		h.ends(after, cluster, s, fleet.OperationSucceeded, "")
	}
	h.seen(after, cluster, fleet.StepProjects, fleet.StepDependencies, fleet.StepHealth)
	if h.s.Life(cluster).Course.Produced == 0 {
		h.t.Fatalf("%s is not in production", cluster)
	}
}

// listener is who subscribed, and what each of them is told as it happens.
type listener struct {
	subs []fleet.Subscription
	told map[string]string
}

// listens lets subscribers hear of what happens from now on.
func (h *house) listens(subs ...fleet.Subscription) *listener {
	h.tells = &listener{subs: subs, told: map[string]string{}}
	return h.tells
}

func (l *listener) hears(list []Notice) {
	for _, n := range list {
		for i := range l.subs {
			if n.isFor(&l.subs[i]) {
				l.told[l.subs[i].Name] += n.Text + "\n"
			}
		}
	}
}

// Of its life a cluster's owner is told that a person is waited for, and what they have to do. They are told that it is
// late and since when, that it is in production, that it is degraded and why, and that it is not any more.
func TestAnOwnerIsToldOfTheLifeOfTheirClusters(t *testing.T) {
	h, life := yard(t), fleet.LifeNoticeKinds()
	heard := h.listens(
		fleet.Subscription{Name: "owner", Owner: "Capacity"}, fleet.Subscription{Name: "lynx", Cluster: "lynx", Kinds: life}, fleet.Subscription{Name: "fleet", Kinds: life},
		fleet.Subscription{Name: "other", Owner: "research"}, fleet.Subscription{Name: "team", Namespace: "capacity"},
		fleet.Subscription{Name: "one", Cluster: "lynx", Kinds: []fleet.NoticeKind{fleet.NoticeProduction}})
	h.seen(time.Hour, "lynx", fleet.StepDependencies)
	h.ends(2*time.Hour, "lynx", fleet.StepPipeline, fleet.OperationFailed, "variable zone is not set")
	h.at(5*time.Hour, core.Tick{})
	h.at(6*time.Hour, core.SteerCluster{Cluster: "lynx", Do: core.Retry})
	h.builds(7*time.Hour, "lynx")
	h.at(7*time.Hour+time.Minute, core.SetNodes{Names: []string{"lynx-h200-a-001"}, State: fleet.Quarantined, Signal: "XID 79"})
	h.at(7*time.Hour+2*time.Minute, core.SetNodes{Names: []string{"lynx-h200-a-001"}, State: fleet.Healthy})
	h.at(8*time.Hour, core.OpenIncident{Name: "sev-1", Scope: "tiger"})
	for _, want := range []string{
		"cluster lynx (owner capacity) waits for a person: BootstrapSucceeded (NeedsFix); variable zone is not set; once it is mended elsewhere than in the record or the blueprint, `muster cluster retry lynx --step pipeline`",
		"cluster lynx (owner capacity) is late: BootstrapSucceeded takes longer than in nine of ten clusters; it was expected by Fri 2027-01-15 10:30Z (p90), and waits on pipeline: variable zone is not set",
		"cluster lynx (owner capacity) is in production, generation 1, with 16 GPUs of h200, mode enforce; it took 6h53m and 2 touches",
		"cluster lynx (owner capacity) is degraded: NodesReady: island a: 1 of 2 nodes are ready, 2 are wanted",
		"cluster lynx (owner capacity) is no longer degraded: all its conditions hold",
	} {
		for _, name := range []string{"owner", "lynx", "fleet"} {
			if strings.Count(heard.told[name], want) != 1 {
				t.Errorf("%s was not told once %q, but\n%s", name, want, heard.told[name])
			}
		}
	}
	if h := heard.told; strings.Contains(h["owner"]+h["lynx"], "puma") || strings.Contains(h["other"]+h["team"], "lynx") || strings.Contains(h["owner"], "incident") {
		t.Errorf("told of what is not theirs: owner\n%sother\n%steam\n%s", h["owner"], h["other"], h["team"])
	}
	if !strings.Contains(heard.told["other"], "puma") || strings.Count(heard.told["one"], "\n") != 1 {
		t.Errorf("the owner of puma was told\n%sand who asked for one kind\n%s", heard.told["other"], heard.told["one"])
	}
}

// A cluster that is held asks for a person once, however many of its conditions that holds up.
func TestAHeldClusterAsksOnce(t *testing.T) {
	h := yard(t)
	for _, s := range building[:3] {
		h.ends(2*time.Hour, "lynx", s, fleet.OperationSucceeded, "")
	}
	heard := h.listens(fleet.Subscription{Name: "owner", Owner: "capacity", Kinds: []fleet.NoticeKind{fleet.NoticePerson}})
	h.at(2*time.Hour, core.SteerCluster{Cluster: "lynx", Do: core.Hold})
	if heard.told["owner"] != "cluster lynx (owner capacity) waits for a person: NodesValidated (Held); held by user:ada; `muster cluster go lynx` lets it go on\n" {
		t.Errorf("told\n%s", heard.told["owner"])
	}
}

// A notice that is sent late, when the cluster has moved on, still says what was so.
func TestANoticeThatComesLateNamesTheCommandThatSaysMore(t *testing.T) {
	h := yard(t)
	h.ends(2*time.Hour, "lynx", fleet.StepPipeline, fleet.OperationFailed, "variable zone is not set")
	failed := h.records[len(h.records)-1]
	h.at(3*time.Hour, core.SteerCluster{Cluster: "lynx", Do: core.Retry})
	list := Notices(h.s, failed)
	if len(list) == 0 || list[0].Text != "cluster lynx (owner capacity) waits for a person: BootstrapSucceeded (NeedsFix); `muster cluster why lynx` says more" {
		t.Errorf("%+v", list)
	}
}
