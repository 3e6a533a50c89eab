package server

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// lived is a small fleet with a past that the pages' stories need. For five days nodes
// failed until promises broke, and there is an incident about that. The present is quiet: one
// workload waits, for a reason that its owner can change.
type lived struct {
	t      testing.TB
	engine *engine.Engine
	now    fleet.Instant
}

// livedFolder writes the journal of such a fleet, and says where.
func livedFolder(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "lived")
	noError(t, os.MkdirAll(folder, 0o700))
	j, err := sqlite.Open(t.Context(), filepath.Join(folder, "fleet.db"), sqlite.Options{})
	noError(t, err)
	l := &lived{t: t, now: fleet.InstantOf(time.Now().UTC().Truncate(time.Hour).Add(-120 * time.Hour))}
	l.engine, err = engine.Open(t.Context(), engine.Options{Journal: j, Now: func() fleet.Instant { return l.now }, Synchronous: true})
	noError(t, err)
	l.found()
	l.live()
	noError(t, l.engine.Close())
	noError(t, j.Close())
	return folder
}

func (l *lived) do(who, why string, commands ...core.Command) {
	l.t.Helper()
	for _, c := range commands {
		_, err := l.engine.Do(l.t.Context(), core.Request{Command: c, Actor: core.Actor{Name: who, User: "olga", Operator: true}, Reason: why})
		if err != nil {
			l.t.Fatalf("%T: %v", c, err)
		}
	}
}

// pass lets hours go by.
func (l *lived) pass(hours int) {
	l.t.Helper()
	for range hours {
		l.now = l.now.Add(time.Hour)
		l.do("muster", "", core.Tick{})
	}
}

// found makes the fleet and its quotas.
func (l *lived) found() {
	l.do("operator:olga", "the fleet begins",
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 12, Racks: 3}, {Name: "i2", Nodes: 12, Racks: 3}}},
		core.AddCluster{Name: "lynx"}, core.AddPartition{Cluster: "lynx", GPU: "h100"},
		core.AddIslands{Partition: "lynx/h100", Islands: []core.NewIsland{{Name: "i1", Nodes: 8, Racks: 2}}},
		core.AddCluster{Name: "puma", Mode: fleet.Shadow}, core.AddPartition{Cluster: "puma", GPU: "a100"}, core.AddIslands{Partition: "puma/a100", Islands: []core.NewIsland{{Name: "i1", Nodes: 2}}},
		core.CreateQuota{Path: "research/oak", Owner: "ada"}, core.CreateQuota{Path: "research/elm", Owner: "elif"}, core.CreateQuota{Path: "safety/red", Owner: "ruth"},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 64, Gang: 48},
		core.SetGrant{Quota: "research/elm", Partition: "tiger/h200", GPUs: 48},
		core.SetGrant{Quota: "safety/red", Partition: "tiger/h200", GPUs: 24},
		core.SetGrant{Quota: "research/oak", Partition: "lynx/h100", GPUs: 32},
	)
}

// live is the five days.
func (l *lived) live() {
	l.do("user:mia", "the long run", submit("oak", "base", "research/oak", 6, 0), submit("red", "probe", "safety/red", 1, 0), submit("birch", "sweep", "flex", 2, 0))
	l.pass(30)
	l.node(fleet.Quarantined, "XID 79: fell off the bus", "tiger-h200-i1-011", "tiger-h200-i2-009")
	l.pass(3)
	l.node(fleet.Quarantined, "fan: too slow", "tiger-h200-i2-012", "tiger-h200-i2-011")
	l.pass(1)
	l.node(fleet.Quarantined, "XID 48: double bit error", "tiger-h200-i1-012") // the fifth: 19 of 24 are whole, 20 were promised
	l.do("operator:olga", "paged", core.OpenIncident{Name: "cooling", Scope: "tiger/h200", Severity: "sev2", Nodes: []string{"tiger-h200-i1-012", "tiger-h200-i2-012", "tiger-h200-i2-011"}, Owner: "olga", Link: "https://example.com/cooling"})
	l.pass(6)
	for _, state := range []fleet.NodeState{fleet.Repairing, fleet.Validating, fleet.Probation} {
		l.node(state, "repaired", "tiger-h200-i1-011", "tiger-h200-i2-009", "tiger-h200-i2-012", "tiger-h200-i2-011", "tiger-h200-i1-012")
		l.pass(4)
	}
	l.do("operator:olga", "the pump is changed", core.CloseIncident{Name: "cooling"})
	l.pass(48)
	l.node(fleet.Quarantined, "XID 79: fell off the bus", "tiger-h200-i2-010")
	l.pass(2)
	for _, state := range []fleet.NodeState{fleet.Repairing, fleet.Validating, fleet.Probation} {
		l.node(state, "repaired", "tiger-h200-i2-010")
		l.pass(1)
	}
	l.node(fleet.Maintenance, "a new BMC", "lynx-h100-i1-008")
	l.do("operator:olga", "a review", core.OpenIncident{Name: "fabric", Scope: "lynx/h100", Severity: "sev3", Owner: "olga"},
		core.PlaceHold{Quota: "research/elm", Partition: "tiger/h200", GPUs: 16, Until: l.now.Add(50 * time.Hour), User: "elif"})
	l.do("user:mia", "three more days", submit("elm", "long", "research/elm", 2, 60*time.Hour), submit("elm", "loan", "research/elm", 3, 30*time.Hour), submit("oak", "wants", "research/oak", 9, time.Hour))
	watched := submit("fir", "watched", "flex", 1, time.Hour)
	watched.Spec.Partition = "puma/a100"
	l.do("user:mia", "others start it", watched)
	l.do("operator:olga", "the cluster runs hot", core.PlanHaircut{Name: "autumn", Ask: haircut.Ask{Basis: fleet.BasisQuota}})
}

func (l *lived) node(state fleet.NodeState, signal string, names ...string) {
	l.t.Helper()
	l.do("operator:olga", "seen on the panel", core.SetNodes{Names: names, State: state, Signal: signal})
}

// submit asks for a gang of so many whole nodes.
func submit(namespace, name, target string, nodes int, most time.Duration) core.Submit {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: namespace, User: "mia", Target: target, Priority: fleet.Mid, Grace: fleet.DefaultGrace, MaxRuntime: most,
		Pools: []fleet.Pool{{Name: "trainer", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}},
	}}
}

// The command line names the node behind the broken promises of that story, and what
// it says is coming there.
func TestLivedFleetIsToldByTheCommandLine(t *testing.T) {
	muster, err := exec.LookPath("muster")
	noError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	address := livedServer(ctx, t, muster)
	for _, one := range []struct {
		args []string
		want []string
	}{
		{[]string{"promise", "broken", "tiger/h200", "-o", "wide"}, []string{"tiger-h200-i1-012", "XID 48: double bit error", "cooling"}},
		{[]string{"coming"}, []string{"through probation", "hold 1 of 16 GPUs", "incident fabric", "under maintenance"}},
		{[]string{"events", "--kind", "node.changed"}, []string{"goes from healthy to"}},
		{[]string{"coming", "-o", "svg"}, []string{"<svg", "What is coming"}},
	} {
		out, err := exec.CommandContext(ctx, muster, append(one.args, "--server", address)...).CombinedOutput()
		noError(t, err)
		for _, want := range one.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("muster %s does not say %q:\n%s", strings.Join(one.args, " "), want, out)
			}
		}
	}
}

// livedServer runs a server of the fleet with a past, and says where it listens.
func livedServer(ctx context.Context, t *testing.T, muster string) string {
	t.Helper()
	return serverAt(ctx, t, muster, "up", "--listen", "127.0.0.1:0", "--data", livedFolder(t))
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
