package api_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The room of work that stopped for visits is held for that work. Quotas and their holds are open, and its name is not:
// neither with its quota, nor in what is coming, in the log or in the history.
func TestAHoldForStoppedWorkNamesItToItsReadersAlone(t *testing.T) {
	h := aviary(t)
	h.later(18*time.Hour + time.Minute)
	_, err := h.as(merlinToken, "").Maintenance.AgreeToStop(t.Context(), &musterv1.AgreeToStopRequest{Namespace: "kestrel", Name: "falcon-runs", At: timestamppb.New(noon.Add(20*time.Hour + 2*time.Minute))})
	must(t, err)
	h.later(2 * time.Minute)
	_, err = h.Quotas.SetOwner(t.Context(), &musterv1.SetOwnerRequest{Path: "research/elm", Owner: "eve"}) // a moment in which all is decided
	must(t, err)
	for path, body := range map[string]string{
		"QuotaService/GetQuota": `{"path":"research/oak"}`, "QuotaService/ListQuotas": `{}`, "QuotaService/History": `{"quota":"research/oak"}`,
		"EventService/ListEvents": `{"from":18}`, "ComingService/Coming": `{"scope":"tiger/h200"}`, "CapacityService/Usable": `{}`,
	} {
		if answer := h.ask("/muster.v1."+path, eveToken, []byte(body)); strings.Contains(answer, "falcon") {
			t.Errorf("%s tells eve whose room is kept: …%s…", path, around(answer, "falcon"))
		} else if !strings.Contains(answer, "kestrel") && path != "CapacityService/Usable" {
			t.Errorf("%s does not tell eve that room is held: %s", path, answer)
		}
	}
	for path, body := range map[string]string{"QuotaService/GetQuota": `{"path":"research/oak"}`, "EventService/ListEvents": `{"from":18}`} {
		if answer := h.ask("/muster.v1."+path, merlinToken, []byte(body)); !strings.Contains(answer, "falcon-runs") {
			t.Errorf("%s does not tell merlin that the room of falcon-runs is kept: %s", path, answer)
		}
	}
}
