package cli

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Waves that are refused for the same reason are told together.
func TestWavesThatAreStoppedAlikeAreToldOnce(t *testing.T) {
	stops := stopsOf(&musterv1.Haircut{Waves: []*musterv1.HaircutWave{
		{Cluster: "lynx"}, {Cluster: "tiger", Blocked: "no owner"}, {Cluster: "lynx", Blocked: "no owner"}, {Cluster: "tiger", Blocked: "no owner"},
	}})
	var got []string
	for _, s := range stops {
		got = append(got, s.waves())
	}
	if says := strings.Join(got, "; "); says != "waves 2 and 4 (tiger); wave 3 (lynx)" {
		t.Error(says)
	}
}
