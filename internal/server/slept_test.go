package server

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// sleepFor DURATION writes a journal into $DATA whose server lived for five hours and
// ended so long ago.
func sleepFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: slept DURATION")
	}
	ago, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.Getenv("DATA"), 0o700))
	j, err := sqlite.Open(context.Background(), filepath.Join(ts.Getenv("DATA"), "fleet.db"), sqlite.Options{})
	ts.Check(err)
	now := fleet.InstantOf(time.Now().Add(-ago - 5*time.Hour))
	e, err := engine.Open(context.Background(), engine.Options{Journal: j, Now: func() fleet.Instant { return now }, Synchronous: true})
	ts.Check(err)
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 8}}},
		core.CreateQuota{Path: "research/oak"},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 48},
	} {
		_, err := e.Do(context.Background(), core.Request{Command: c, Actor: core.Actor{Name: "operator:olga", User: "olga", Operator: true}})
		ts.Check(err)
	}
	now = now.Add(5 * time.Hour)
	_, err = e.Do(context.Background(), core.Request{Command: core.SetOwner{Path: "research/oak", Owner: "ada"}, Actor: core.Actor{Name: "operator:olga", User: "olga", Operator: true}})
	ts.Check(err)
	ts.Check(e.Close())
	ts.Check(j.Close())
}
