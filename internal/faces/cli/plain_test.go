package cli

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What programs read: keys in the contract's order, numbers as numbers, zeros
// too, spans in seconds, events as objects.
func TestMessagesForPrograms(t *testing.T) {
	m := &musterv1.Workload{
		Id: 1 << 60, State: "running", Pools: map[string]int32{"b": 2, "a": 1},
		Submitted: timestamppb.New(noon.now), Waited: durationpb.New(90 * time.Second),
	}
	data, err := asJSON(plain(m))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "id": 1152921504606846976,
  "user": "",
  "state": "running",
  "holds": "",
  "gpus": 0,
  "partition": "",
  "islands": [],
  "nodes": [],
  "pools": {
    "a": 1,
    "b": 2
  },
  "reason": "",
  "position": 0,
  "evictions": 0,
  "mends": 0,
  "submitted": "2026-11-21T12:00:00Z",
  "waitedSeconds": 90,
  "evictedFor": "",
  "held": {},
  "failureCause": "",
  "failureNode": "",
  "author": ""
}
`
	if string(data) != want {
		t.Errorf("got\n%swant\n%s", data, want)
	}
}

func TestEventsForPrograms(t *testing.T) {
	e := &musterv1.Event{Kind: "workload.cancelled", Data: `{"id":7}`}
	data, err := asYAML(plain(e))
	if want := "kind: workload.cancelled\ndata:\n    id: 7\n"; err != nil || string(data) != want {
		t.Errorf("got %q (%v), want %q", data, err, want)
	}
}
