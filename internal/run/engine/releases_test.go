package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// testdata/snapshots holds a snapshot of each form that was ever written, beside the hash of its state. A
// snapshot is used as what it was, or not at all. MUSTER_SNAPSHOT=NAME adds one of today.
func TestSnapshotsOfBeforeAreUsedAsTheyWereOrNotAtAll(t *testing.T) {
	const dir = "testdata/snapshots"
	if name := os.Getenv("MUSTER_SNAPSHOT"); name != "" {
		e := furnishedFor(t)
		e.Read(func(s *fleet.State) {
			snap, err := SnapshotOf(s)
			if err != nil {
				t.Fatal(err)
			}
			_ = os.MkdirAll(dir, 0o750)
			_ = os.WriteFile(filepath.Join(dir, name+".snapshot"), snap.Data, 0o600)
			_ = os.WriteFile(filepath.Join(dir, name+".hash"), []byte(s.Hash()+"\n"), 0o600)
		})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.snapshot"))
	if err != nil || len(files) < 2 {
		t.Fatalf("there are %d snapshots (%v)", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(name, ".snapshot") + ".hash")
		if err != nil {
			t.Fatal(err)
		}
		s, err := trusted(data)
		switch {
		case err != nil:
			t.Logf("%s is not used: %v", name, err)
		case s.Hash() != strings.TrimSpace(string(want)):
			t.Errorf("%s is used as state %s, and was %s", name, s.Hash(), want)
		}
		if len(data) > 10_000 {
			t.Errorf("%s has %d bytes; keep it small", name, len(data))
		}
	}
}

// furnishedFor is an engine with a little of everything that is quick to make.
func furnishedFor(t *testing.T) *Engine {
	t.Helper()
	e, err := Open(t.Context(), Options{Journal: memory.New(), Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []core.Command{
		core.AddCluster{Name: "c"},
		core.AddPartition{Cluster: "c", GPU: "g"},
		core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 4}}},
		core.CreateQuota{Path: "q"},
		core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 16},
		core.Submit{Spec: fleet.Spec{Name: "w", Namespace: "n", Target: "q", Priority: fleet.Mid, Grace: time.Second, Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}}}},
	} {
		if _, err := e.Do(t.Context(), core.Request{Command: c, Actor: core.System, Reason: "an example"}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}
