package past_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// yearOfFailures is a book of 10,000 nodes in ten clusters, of which one in 250
// fails every day, over a year.
func yearOfFailures(tb testing.TB) *past.Book {
	tb.Helper()
	b, seq, r := past.New(), uint64(0), rand.New(rand.NewPCG(1, 2))
	add := func(at fleet.Instant, events ...event.Event) {
		seq++
		b.Add(event.Record{Seq: seq, At: at, Events: events})
	}
	at := fleet.InstantOf(start)
	var names []string
	for c := range 10 {
		cluster := fmt.Sprintf("c%02d", c)
		add(at, event.ClusterAdded{Cluster: cluster, Mode: fleet.Enforce}, event.PartitionAdded{Cluster: cluster, GPU: "h200", GPUsPerNode: 8})
		for i := range 8 {
			island := event.NodesAdded{Partition: cluster + "/h200", Island: fmt.Sprint("i", i)}
			for n := range 125 {
				island.Names = append(island.Names, fmt.Sprintf("%s-i%d-%03d", cluster, i, n))
			}
			names = append(names, island.Names...)
			add(at, event.IslandAdded{Partition: island.Partition, Island: island.Island, Racks: 1}, island)
		}
	}
	steps := []fleet.NodeState{fleet.Suspect, fleet.Quarantined, fleet.Repairing, fleet.Validating, fleet.Probation, fleet.Healthy}
	for range 365 * 40 {
		at = at.Add(36 * time.Minute)
		node := names[r.IntN(len(names))]
		signal := fmt.Sprint("XID ", r.IntN(8))
		for _, s := range steps {
			at += fleet.Instant(time.Second)
			add(at, event.NodeChanged{Partition: node[:3] + "/h200", Node: node, To: s, Signal: signal})
		}
	}
	return b
}

func BenchmarkAskingAYearOf10000Nodes(b *testing.B) {
	book := yearOfFailures(b)
	now := book.At
	w := past.Window{From: now - 300*24*hours(1), To: now}
	for _, q := range []struct {
		name string
		ask  func()
	}{
		{"islands", func() { book.Health("", past.ByIsland, w, now) }},
		{"nodes", func() { book.History("", w, now) }},
		{"mttr", func() { book.Repairs("", past.ByCluster, true, w, now) }},
		{"targets", func() { book.Attained("", w, now) }},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				q.ask()
			}
		})
	}
}
