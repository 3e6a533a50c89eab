package api_test

import (
	"encoding/json"
	"slices"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A dry run shows what would become of one's own work. Of work that the caller may not read its notes say how much there
// is, and no event says which, where it stands and what happens to it.
func TestADryRunShowsNoEventsOfHiddenWork(t *testing.T) {
	h := aviary(t)
	work := func(token string) (about []uint64, notes []string) {
		sp := gang("asks", "research/oak", 3)
		sp.Priority = "high"
		sp.Namespace = map[string]string{eveToken: "elm", merlinToken: "kestrel"}[token]
		res, err := h.as(token, "").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{DryRun: true}, Spec: sp})
		must(t, err)
		for _, e := range res.GetWritten().GetEvents() {
			var of struct {
				ID uint64 `json:"id"`
			}
			must(t, json.Unmarshal([]byte(e.GetData()), &of))
			if of.ID > 0 && !slices.Contains(about, of.ID) {
				about = append(about, of.ID)
			}
		}
		return about, res.GetWritten().GetNotes()
	}
	about, notes := work(eveToken)
	if len(about) != 1 || len(notes) == 0 {
		t.Errorf("eve is shown what becomes of %d workloads, want her own alone, and is told %q", len(about), notes)
	}
	if about, _ := work(merlinToken); len(about) < 2 {
		t.Errorf("merlin is shown what becomes of %d workloads, want his that leave, too", len(about))
	}
}
