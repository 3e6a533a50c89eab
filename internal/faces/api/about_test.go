package api_test

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Events name a workload by number; people know its name, and the list of events prints it.
func TestEventsAboutAWorkloadAreFoundByItsName(t *testing.T) {
	h := furnished(t)
	h.submit(gang("base", "research/oak", 2))
	h.submit(gang("other", "research/oak", 1))
	for _, m := range []*musterv1.ListEventsRequest{{About: "oak/base"}, {About: "oak/base", From: 1}} {
		answer, err := h.Events.ListEvents(t.Context(), m)
		must(t, err)
		kinds := map[string]int{}
		for _, r := range answer.GetRecords() {
			for _, e := range r.GetEvents() {
				kinds[e.GetKind()]++
			}
		}
		if kinds["workload.submitted"] != 1 || kinds["replicas.placed"] != 1 {
			t.Errorf("%v finds %v; want its submission and its placement", m, kinds)
		}
	}
	answer, err := h.Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{About: "tiger/h200"})
	must(t, err)
	if len(answer.GetRecords()) == 0 || answer.GetRecords()[0].GetEvents()[0].GetKind() != "partition.added" {
		t.Errorf("events about tiger/h200: %v; want the one that adds it first", answer.GetRecords())
	}
}
