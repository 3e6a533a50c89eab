package draw

import (
	"strings"
	"testing"
	"time"
)

// The word now stands inside a narrow queue also where the present is at its edge, as where all that runs began just now.
func TestNowStandsInsideANarrowPicture(t *testing.T) {
	now := time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC)
	rungs := []Rung{{Name: "oak/a", Note: "w 1×8", Running: true, Since: now, Ends: now.Add(240 * time.Hour), Ink: Quota}}
	for what, svg := range map[string]SVG{
		"a queue that began now":  Ladder(rungs, now, now, now.Add(240*time.Hour), Narrow),
		"a queue that ends now":   Ladder(rungs, now.Add(-time.Hour), now, now, Narrow),
		"a life that began now":   StepRows("a", "steps", []Steps{{Name: "SpecValid"}}, now, now, now.Add(time.Hour), Narrow),
		"a life, on a wide page":  StepRows("b", "steps", []Steps{{Name: "SpecValid"}}, now, now, now.Add(time.Hour), Wide),
		"a queue on a wide page ": Ladder(rungs, now, now, now.Add(240*time.Hour), Wide),
	} {
		inside(t, what, svg)
	}
}

// On a narrow screen names stand above their bars: no line of the axis, nor that of now, runs through them.
func TestNoLineRunsThroughNamesOfSteps(t *testing.T) {
	now := time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC)
	shapes, _, _ := read(t, StepRows("a", "steps", []Steps{{Name: "DependenciesSatisfied"}, {Name: "BootstrapSucceeded"}}, now.Add(-time.Hour), now, now.Add(time.Hour), Narrow))
	for _, line := range shapes {
		for _, name := range shapes {
			if line.name == "line" && name.name == "text" && name.num("font-size") == body && line.num("y1") < name.num("y")-4 && line.num("y2") > name.num("y") {
				t.Errorf("a line from %g to %g runs through %q at %g", line.num("y1"), line.num("y2"), name.text, name.num("y"))
			}
		}
	}
}

// A step that is expected after the end of the axis says when: a mark at the edge would tell an earlier moment.
func TestAStepExpectedBeyondTheAxisSaysWhen(t *testing.T) {
	now := time.Date(2026, 11, 29, 22, 10, 0, 0, time.UTC)
	for _, w := range []Width{Narrow, Wide} {
		rows := []Steps{{Name: "BootstrapSucceeded", P50: now.Add(time.Hour), P90: now.Add(2 * time.Hour)}, {Name: "Healthy", P50: now.Add(10 * time.Minute), P90: now.Add(2 * time.Hour)}}
		svg := StepRows("a", "steps", rows, now.Add(-time.Hour), now, now.Add(30*time.Minute), w)
		inside(t, "steps", svg)
		if text := string(svg); !strings.Contains(text, "from 29 Nov 23:10 →") || !strings.Contains(text, "to 30 Nov 00:10 →") || strings.Contains(text, "expected by 29 Nov 23:10") {
			t.Errorf("%v: a step is drawn at another moment than it is expected:\n%s", w, svg)
		}
	}
}
