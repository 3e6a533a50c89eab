package api_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A quota's series tells what its figures were at each moment: the grant that
// changed after an hour is seen to change there.
func TestQuotaSeriesTellsWhatWas(t *testing.T) {
	h := furnished(t)
	h.later(time.Hour)
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 64})
	must(t, err)
	h.later(time.Hour)
	s, err := h.Series.QuotaSeries(t.Context(), &musterv1.QuotaSeriesRequest{Quota: "research", Points: 4})
	must(t, err)
	if len(s.GetSeries()) != 1 || s.GetSeries()[0].GetPartition() != "tiger/h200" || s.GetMeans() {
		t.Fatalf("got %v", s)
	}
	moments := s.GetSeries()[0].GetMoments()
	if first := moments[0]; first.GetAssigned() != 32 || first.GetBacked() != 32 {
		t.Errorf("it began with %v", first)
	}
	last := moments[len(moments)-1]
	if last.GetAssigned() != 64 || !last.GetAt().AsTime().Equal(noon.Add(2*time.Hour)) {
		t.Errorf("it ends with %v", last)
	}
	for _, m := range moments {
		if want := int32(32); m.GetAt().AsTime().Before(noon.Add(time.Hour)) && m.GetAssigned() != want {
			t.Errorf("at %v it was %d, want %d", m.GetAt().AsTime(), m.GetAssigned(), want)
		}
	}
}

func TestSeriesOfNothing(t *testing.T) {
	h := furnished(t)
	h.later(time.Hour)
	if _, err := h.Series.QuotaSeries(t.Context(), &musterv1.QuotaSeriesRequest{Quota: "nobody"}); err == nil {
		t.Error("a quota that is not there has a series")
	}
	if _, err := h.Series.QuotaSeries(t.Context(), &musterv1.QuotaSeriesRequest{Quota: "research", Since: timestamppb.New(noon.Add(2 * time.Hour))}); err == nil {
		t.Error("a window that ends before it begins is answered")
	}
	c, err := h.Series.RepairCurves(t.Context(), &musterv1.RepairCurvesRequest{})
	must(t, err)
	f, err := h.Series.Frontier(t.Context(), &musterv1.FrontierRequest{Shares: []int32{150}})
	must(t, err)
	if len(c.GetCurves()) != 0 || len(f.GetPoints()) != 1 || f.GetPoints()[0].GetIssued() != 0 {
		t.Errorf("a fleet without a past has %v and %v", c, f)
	}
}
