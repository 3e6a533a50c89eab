package picture

import (
	"bytes"
	"regexp"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

func figures() *musterv1.CapacityResponse {
	return &musterv1.CapacityResponse{Partitions: []*musterv1.PartitionCapacity{
		{Figures: &musterv1.Figures{Installed: 128, Healthy: 96, Promisable: 88, Assigned: 104, Backed: 88, Scheduled: 40, Idle: 8, Measured: 40}},
		{Figures: &musterv1.Figures{Installed: 64, Healthy: 64, Promisable: 48, Assigned: 32, Backed: 32, Unallocated: 16, Scheduled: 32, Measured: 32}},
	}}
}

var health = []*musterv1.PartitionHealth{{States: []*musterv1.StateCount{
	{State: "healthy", Gpus: 160}, {State: "quarantined", Cause: "XID 79", Gpus: 24}, {State: "probation", Cause: "validation passed: fan: probation", Gpus: 8},
}}}

// From one total to the next, what is taken away between them is what is missing.
func TestWaterfallSumsUp(t *testing.T) {
	steps := Waterfall(Sum(figures()), health, []*musterv1.Incident{{Gpus: 24}}, nil)
	want := map[string]int{
		"installed": 192, "quarantined: XID 79": 24, "probation: fan": 8, "healthy": 160, "buffer": 24, "promisable": 136, "unallocated": 16,
		"assigned": 136, "unscheduled": 48, "scheduled": 72, "busy": 64, "idle": 8, "not delivered": 0,
	}
	for _, s := range steps {
		if n, ok := want[s.Name]; !ok || n != s.GPUs {
			t.Errorf("%s is %d, want %d", s.Name, s.GPUs, n)
		}
		delete(want, s.Name)
		if s.Href != "" {
			t.Errorf("%s leads to %s, and nobody said where to", s.Name, s.Href)
		}
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

// notesOf are what stands beside the steps of a waterfall, by step.
func notesOf(steps []draw.Step) map[string]string {
	notes := map[string]string{}
	for _, s := range steps {
		if s.Note != "" {
			notes[s.Name] = s.Note
		}
	}
	return notes
}

// What incidents took stands beside what is left, not beside the largest loss: that may be of another cause.
func TestIncidentsStandBesideWhatIsHealthy(t *testing.T) {
	notes := notesOf(Waterfall(Sum(figures()), health, []*musterv1.Incident{{Gpus: 24}}, nil))
	if notes["healthy"] != "1 incident took 24" || notes["quarantined: XID 79"] != "" {
		t.Errorf("notes %q", notes)
	}
}

// Where no utilisation was measured, 0 idle is not told as a figure.
func TestIdleSaysWhereItWasNotMeasured(t *testing.T) {
	f := &musterv1.Figures{Installed: 64, Healthy: 64, Backed: 32, Scheduled: 32}
	if note := notesOf(Waterfall(f, nil, nil, nil))["idle"]; note != "not measured" {
		t.Errorf("it says %q", note)
	}
	f.Measured = 32
	if note := notesOf(Waterfall(f, nil, nil, nil))["idle"]; note != "" {
		t.Errorf("measured, it says %q", note)
	}
}

// Busy is only what was measured and is not idle; the rest is not known.
func TestBusyIsOnlyWhatWasMeasured(t *testing.T) {
	for _, c := range []struct {
		measured, idle int32
		busy           int
		note           string
	}{{0, 0, -1, ""}, {40, 0, 40, "32 not measured"}, {40, 8, 32, "32 not measured"}, {72, 8, 64, ""}} {
		busy, note := -1, ""
		for _, s := range Waterfall(&musterv1.Figures{Installed: 192, Healthy: 192, Promisable: 136, Assigned: 136, Backed: 120, Scheduled: 72, Idle: c.idle, Measured: c.measured}, nil, nil, nil) {
			if s.Name == "busy" {
				busy, note = s.GPUs, s.Note
			}
		}
		if busy != c.busy || note != c.note {
			t.Errorf("%d measured, %d idle: busy %d %q, want %d %q", c.measured, c.idle, busy, note, c.busy, c.note)
		}
	}
}

// A page's picture and a file's are the same bytes, except for where its parts lead.
func TestPageAndFileAreTheSamePicture(t *testing.T) {
	to := func(path string, _ ...string) string { return path }
	file := draw.Waterfall(Waterfall(Sum(figures()), health, nil, nil), draw.Wide)
	page := draw.Waterfall(Waterfall(Sum(figures()), health, nil, to), draw.Wide)
	page = regexp.MustCompile(`<a href="[^"]*">|</a>`).ReplaceAll(page, nil)
	page = bytes.Replace(page, []byte(`role="group"`), []byte(`role="img"`), 1)
	if !bytes.Equal(file, page) {
		t.Errorf("the file\n%s\nis not the page's\n%s", file, page)
	}
}

func TestWordsAreAllDefined(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Words {
		if w.Means == "" || seen[w.Name] {
			t.Errorf("%q is there twice, or means nothing", w.Name)
		}
		seen[w.Name] = true
	}
}
