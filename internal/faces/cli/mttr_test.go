package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// TestStagesAreShownByName: a stage stands in its own column and has its own letter, whatever the
// order in which the server says them. One that this program does not know is left out.
func TestStagesAreShownByName(t *testing.T) {
	repairs := &musterv1.RepairTimes{Scope: "tiger", Repaired: 1, Total: &musterv1.Spread{Mean: durationpb.New(6 * time.Hour)}}
	for _, s := range []struct {
		name string
		mean time.Duration
	}{{"a later server's", time.Hour}, {"repair", 4 * time.Hour}, {"detect", time.Hour}, {"drain", 0}, {"wait", 0}, {"validate", 0}, {"probation", 0}} {
		repairs.Stages = append(repairs.Stages, &musterv1.StageTimes{Stage: s.name, Times: &musterv1.Spread{Mean: durationpb.New(s.mean)}})
	}
	var b bytes.Buffer
	(&page{Writer: &b}).stages(repairs)
	if got := b.String(); !strings.Contains(got, strings.Repeat("d", 10)+strings.Repeat("r", 40)+"\n") || !strings.Contains(got, "d detect 1h, r repair 4h\n") {
		t.Errorf("the bar is\n%s", got)
	}
	row := repairTable([]*musterv1.RepairTimes{repairs}).rows[0]
	if got := row[len(row)-6:]; got[0] != time.Hour || got[3] != 4*time.Hour {
		t.Errorf("the columns of the stages are %v", got)
	}
}
