package api_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A burst points to the workload that all its nodes run. Everybody sees that there is a burst; the name is its readers'.
func TestABurstNamesItsWorkloadToItsReadersAlone(t *testing.T) {
	h := aviary(t)
	_, err := h.Fleet.AddIslands(t.Context(), &musterv1.AddIslandsRequest{Partition: "tiger/h200", Islands: []*musterv1.NewIsland{{Name: "i9", Nodes: 40}}})
	must(t, err)
	merlin := h.as(merlinToken, "")
	spec := gang("falcon-bursts", "flex", 14)
	spec.Namespace = "kestrel"
	_, err = merlin.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: spec})
	must(t, err)
	w, err := merlin.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: "falcon-bursts"})
	must(t, err)
	at := timestamppb.New(time.Unix(0, h.clock.Load()))
	m := &musterv1.SendSignalsRequest{}
	for _, node := range w.GetWorkload().GetNodes() {
		m.Signals = append(m.Signals, &musterv1.Signal{Agent: "dcgm", ComponentClass: "GPU", CheckName: "XIDErrors", NodeName: node, ErrorCodes: []string{"79"}, IsFatal: true, GeneratedTimestamp: at})
	}
	_, err = h.Health.SendSignals(t.Context(), m)
	must(t, err)
	for path, body := range map[string]string{
		"SystemService/Status": `{}`, "HealthService/Health": `{}`, "CapacityService/Capacity": `{}`, "CapacityService/Nodes": `{}`, "EventService/ListEvents": `{"kinds":["burst.accused"]}`,
	} {
		if answer := h.ask("/muster.v1."+path, eveToken, []byte(body)); strings.Contains(answer, "falcon") {
			t.Errorf("%s tells eve what a burst points to: …%s…", path, around(answer, "falcon"))
		} else if !strings.Contains(answer, "one workload") {
			t.Errorf("%s does not tell eve of the burst: %.300s", path, answer)
		}
		if answer := h.ask("/muster.v1."+path, merlinToken, []byte(body)); !strings.Contains(answer, "workload kestrel/falcon-bursts") {
			t.Errorf("%s does not tell merlin what the burst points to: %.300s", path, answer)
		}
	}
}
