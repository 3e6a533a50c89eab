package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The cuts of a plan stand in a hundred columns, and no name of a quota breaks inside a part of it.
func TestTheCutsOfAPlanFitAHundredColumns(t *testing.T) {
	cut := func(quota, owner string, above, rest int32) *musterv1.HaircutCut {
		return &musterv1.HaircutCut{
			Quota: quota, Owner: owner, Was: 128, Now: 128 - above - rest, Asked: 19, CutUnscheduled: above, CutRest: rest, Usage: 104, Highest: 136,
			CutTemporary: 32, TemporaryUntil: timestamppb.New(time.Date(2026, 12, 4, 0, 0, 0, 0, time.UTC)),
		}
	}
	h := &musterv1.Haircut{Waves: []*musterv1.HaircutWave{
		{Cluster: "lynx", Class: "unscheduled", Parts: []*musterv1.HaircutPart{{Partition: "lynx/h100", Cuts: []*musterv1.HaircutCut{cut("research/posttraining", "ada", 32, 0)}}}},
		{Cluster: "tiger", Class: "rest", Parts: []*musterv1.HaircutPart{{Partition: "tiger/h200", Cuts: []*musterv1.HaircutCut{cut("research/pretraining/elm", "", 0, 16)}}}},
	}}
	got := shown(cutTable(h), false)
	for line := range strings.SplitSeq(got, "\n") {
		if n := utf8.RuneCountInString(line); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, whole := range []string{"posttraining ", "pretraining/elm "} {
		if !strings.Contains(got, whole) {
			t.Errorf("%q is broken:\n%s", whole, got)
		}
	}
	h.Waves[0].Class, h.Waves[1].Class = "", "" // as in plans of earlier versions
	if got := shown(cutTable(h), false); !strings.Contains(got, "ABOVE ") || !strings.Contains(got, "REST") {
		t.Errorf("a wave of all classes does not say what it takes of each:\n%s", got)
	}
}

// What a quota is asked for in all waves of a partition stands in its first row alone.
func TestWhatIsAskedIsShownOnce(t *testing.T) {
	cut := &musterv1.HaircutCut{Quota: "oak", Was: 128, Now: 120, Asked: 777}
	wave := &musterv1.HaircutWave{Class: "idle", Parts: []*musterv1.HaircutPart{{Partition: "tiger/h200", Cuts: []*musterv1.HaircutCut{cut}}}}
	got := shown(cutTable(&musterv1.Haircut{Waves: []*musterv1.HaircutWave{wave, wave}}), false)
	if strings.Count(got, "777") != 1 || strings.Count(got, "oak") != 2 {
		t.Errorf("%s", got)
	}
}
