package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What an event says it is about finds the event.
func TestEventsAreFoundByWhatTheySayTheyAreAbout(t *testing.T) {
	submitted := event.WorkloadSubmitted{ID: 7, Spec: fleet.Spec{Namespace: "oak", Name: "base"}}
	names := func(id uint64) string { return map[uint64]string{7: "oak/base", 8: "elm/other"}[id] }
	for _, e := range []event.Event{
		submitted,
		event.WorkloadCancelled{ID: 7},
		event.ReplicasStarted{ID: 7},
		event.ReplicasStarted{ID: 8},
		event.ReplicasStarted{ID: 77}, // its name is not known
		event.PartitionAdded{Cluster: "tiger", GPU: "h200"},
		event.NodeChanged{Node: "n1"},
		event.HoldEnded{ID: 3},
		event.QuotaOwned{Quota: "research/oak"},
		event.IncidentClosed{Name: "sev"},
		event.UpdateSet{Update: fleet.NodeUpdate{Name: "driver-580"}},
		event.RolloutSet{Rollout: fleet.Rollout{Name: "driver-580"}},
		event.NoticeSet{Notice: fleet.Notice{Name: "host-update"}},
		event.ZoneSet{Zone: fleet.Zone{Name: "launch"}},
		event.ConfigurationJudged{Proof: fleet.Proof{Hash: "e9f90bd62c0d"}},
		event.SignalsTaken{Sightings: []fleet.Sighting{{Node: "n1"}, {Node: "n2"}}},
	} {
		about := words.TellEvent(e, names).About
		subject := words.NewSubject(about, fleet.NewState())
		if about == "elm/other" {
			subject.In(event.WorkloadSubmitted{ID: 8, Spec: fleet.Spec{Namespace: "elm", Name: "other"}})
		} else {
			subject.In(submitted)
		}
		record, err := event.Encode(event.Record{Seq: 1, Events: []event.Event{e}})
		if err != nil {
			t.Fatal(err)
		}
		if !subject.MayBeIn(record) || !subject.In(e) {
			t.Errorf("%T says it is about %q, and is not found by that", e, about)
		}
	}
}

// A policy that gave a quota another backing is about the quota; one that did not is not.
func TestAPolicyIsAboutTheQuotasThatItBacksOtherwise(t *testing.T) {
	r := event.Record{Events: []event.Event{
		event.BufferSet{Scope: "tiger"},
		event.BackingAligned{Partition: "tiger/h200", Backing: []event.Backed{{Quota: "research/oak", Island: "i1", Nodes: 2}}},
		event.NodeChanged{Node: "n1"},
	}}
	for about, want := range map[string]int{"research/oak": 2, "research/elm": 0, "tiger": 1, "n1": 1} {
		if got := len(words.NewSubject(about, fleet.NewState()).Of(r)); got != want {
			t.Errorf("about %s: %d events, want %d", about, got, want)
		}
	}
}

func TestOtherEventsAreNotFound(t *testing.T) {
	subject := words.NewSubject("oak/base", fleet.NewState())
	subject.In(event.WorkloadSubmitted{ID: 7, Spec: fleet.Spec{Namespace: "oak", Name: "base"}})
	for _, e := range []event.Event{
		event.WorkloadCancelled{ID: 8},
		event.HoldEnded{ID: 7},
		event.NodeChanged{Node: "oak"},
		event.WorkloadSubmitted{ID: 9, Spec: fleet.Spec{Namespace: "elm", Name: "base"}},
	} {
		if subject.In(e) {
			t.Errorf("%T is found as if it were about oak/base", e)
		}
	}
}
