package keeper_test

import (
	"os"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// threeYears is a fleet of 32 GPUs of which a quota has 16 from 2023 on, and 24 on 2 January 2026. One workload of 64
// GPUs waits for it all the time.
func threeYears() (*past.Book, *fleet.State) {
	b, s, seq := past.New(), fleet.NewState(), uint64(0)
	add := func(at time.Time, events ...event.Event) {
		seq++
		r := event.Record{Seq: seq, At: fleet.InstantOf(at), Events: events}
		b.Add(r)
		core.ApplyRecord(s, r)
	}
	grant := func(gpus, was int) event.Event {
		return event.GrantSet{Quota: "research", Partition: "tiger/h200", GPUs: gpus, Was: was}
	}
	first := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	add(first, event.ClusterAdded{Cluster: "tiger", Mode: fleet.Enforce}, event.PartitionAdded{Cluster: "tiger", GPU: "h200", GPUsPerNode: 8},
		event.IslandAdded{Partition: "tiger/h200", Island: "a", Racks: 1}, event.NodesAdded{Partition: "tiger/h200", Island: "a", Names: []string{"n1", "n2", "n3", "n4"}})
	add(first, event.QuotaCreated{Quota: "research", Access: fleet.Access{}}, grant(16, 0))
	add(first, event.WorkloadSubmitted{ID: 1, Spec: fleet.Spec{
		Name: "big", Namespace: "ns", Target: "research", Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 8, Max: 8, Reach: fleet.ReachAny}},
	}})
	add(first.AddDate(3, 0, 1), grant(24, 16))
	add(first.AddDate(3, 0, 2), grant(16, 24))
	return b, s
}

// What version 6 wrote, which kept each bucket by itself, says what it said: in its hours, its days and its months. The
// file is keeper.Pack of threeYears, as it was then.
func TestNotesOfVersion6AreRead(t *testing.T) {
	data, err := os.ReadFile("testdata/notes6")
	if err != nil {
		t.Fatal(err)
	}
	fresh, s := threeYears()
	older, err := keeper.Beginning(s, map[string][]byte{keeper.Part: data})
	if err != nil {
		t.Fatal(err)
	}
	day := func(year int, month time.Month, day int) int64 {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
	}
	for _, x := range []struct {
		name     string
		from, to int64
		granted  int64
	}{
		{"months", day(2023, 2, 1), day(2023, 3, 1), 16 * 28},
		{"days", day(2025, 6, 1), day(2025, 6, 3), 16 * 2},
		{"hours", day(2026, 1, 1), day(2026, 1, 3), 16 + 24},
		{"all", day(2023, 1, 1), day(2026, 1, 3), 16*(3*365+2) + 24},
	} {
		w := past.Window{From: x.from, To: x.to}
		is, now := older.Usage("", "", w, older.At), fresh.Usage("", "", w, fresh.At)
		if len(is) != 1 || is[0].Assigned != x.granted*24*time.Hour.Milliseconds() || is[0] != now[0] {
			t.Errorf("%s: %+v, want %d GPUs × days as from notes of now: %+v", x.name, is, x.granted, now)
		}
		a, b := older.Waiting("", "", w, older.At), fresh.Waiting("", "", w, fresh.At)
		if len(a) == 0 || len(a) != len(b) || a[0] != b[0] {
			t.Errorf("%s: waited %+v, want %+v", x.name, a, b)
		}
	}
}
