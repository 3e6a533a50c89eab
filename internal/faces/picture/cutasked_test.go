package picture

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A quota and a partition count once, however many waves cut them, and who keeps all was asked too.
func TestAPlanSaysWhatWasAskedInAll(t *testing.T) {
	cut := func(quota string, asked int32) *musterv1.HaircutCut {
		return &musterv1.HaircutCut{Quota: quota, Asked: asked}
	}
	part := func(assigned int32, cuts ...*musterv1.HaircutCut) *musterv1.HaircutWave {
		return &musterv1.HaircutWave{Parts: []*musterv1.HaircutPart{{
			Partition: "tiger/h200", Assigned: assigned, Cuts: cuts, Spared: []*musterv1.HaircutCut{cut("ash", 8)},
		}}}
	}
	h := &musterv1.Haircut{
		Waves: []*musterv1.HaircutWave{part(256, cut("oak", 20), cut("elm", 10)), part(230, cut("oak", 20))},
		Sums:  &musterv1.HaircutSums{Total: 48},
	}
	for _, one := range []struct {
		ask  *musterv1.HaircutAsk
		want string
	}{
		{&musterv1.HaircutAsk{Basis: "cluster"}, "Asked are 38 of the 256 GPUs assigned where it cuts (14.8 %: what is assigned above sustainable)"},
		{&musterv1.HaircutAsk{Basis: "quota"}, "Asked are 38 of the 256 GPUs assigned where it cuts (14.8 %: the buffer's share, rounded up to whole GPUs in each partition)"},
		{&musterv1.HaircutAsk{Basis: "quota", Buffer: &musterv1.Buffer{Share: 0.145}}, "Asked are 14.5 %, which is 38 of the 256 GPUs assigned where it cuts (14.8 %: the buffer's share, rounded up to whole GPUs in each partition)"},
	} {
		h.Ask = one.ask
		want := one.want + "; it cuts 48 (18.8 %). They differ because nodes are cut whole and gangs are kept; each cut says why."
		if got := CutAndAsked(h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := CutAndAsked(&musterv1.Haircut{}); got != "" {
		t.Errorf("a plan that cuts nothing says %q", got)
	}
}
