package draw

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// marksOf are the figures below a picture and where they stand: the texts of its lowest line.
func marksOf(t *testing.T, svg SVG) (values, at []float64) {
	t.Helper()
	shapes, _, _ := read(t, svg)
	low := 0.0
	for _, s := range shapes {
		if s.name == "text" {
			low = max(low, s.num("y"))
		}
	}
	for _, s := range shapes {
		if s.name != "text" || s.num("y") != low {
			continue
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.Fields(s.text)[0], ",", ""), 64)
		if err != nil {
			t.Fatalf("%q stands among the marks", s.text)
		}
		values, at = append(values, v), append(at, s.num("x"))
	}
	return values, at
}

// even fails where the steps between figures differ.
func even(t *testing.T, what string, list []float64) {
	t.Helper()
	if len(list) < 3 {
		t.Fatalf("%s: %v are too few", what, list)
	}
	for i := 2; i < len(list); i++ {
		if math.Abs((list[i]-list[i-1])-(list[1]-list[0])) > 0.01*math.Abs(list[1]-list[0]) {
			t.Errorf("%s: the steps of %v differ", what, list)
		}
	}
}

func TestMarksOfCoverageAreEvenAndNoNameIsCut(t *testing.T) {
	const name = "tiger/h200/i1 · calibrated 99.0 % · sustainable, 28 d"
	for _, worst := range []float64{1, 0.999, 0.98, 0.971, 0.9, 0.5, 0.03, 0} {
		for _, w := range []Width{Wide, Narrow} {
			svg := Coverages([]Coverage{{Name: name, Claimed: 0.99, Realised: worst}}, w)
			values, at := marksOf(t, svg)
			even(t, "values", values)
			even(t, "places", at)
			if first, last := values[0], values[len(values)-1]; last != 100 || first < 0 || first > worst*100 {
				t.Errorf("of %v the marks are %v", worst, values)
			}
			if strings.Contains(string(svg), "…") {
				t.Errorf("at %v the name is cut", w)
			}
			inside(t, "coverage", svg)
		}
	}
}

// What was claimed and came true exactly is seen as both.
func TestClaimedIsSeenWhereItCameTrue(t *testing.T) {
	shapes, _, _ := read(t, Coverages([]Coverage{{Name: "lynx", Claimed: 1, Realised: 1}}, Wide))
	var circles []float64
	for _, s := range shapes {
		if s.name == "circle" && s.num("cy") > 20 {
			circles = append(circles, s.num("r"))
		}
	}
	if len(circles) != 2 || circles[0] <= circles[1] {
		t.Errorf("the circles have radii %v: one hides the other", circles)
	}
}

// A picture of buffers that claim nothing has no key for a claim.
func TestWhatClaimsNothingHasNoKeyOfAClaim(t *testing.T) {
	for claimed, want := range map[float64]bool{-1: false, 0.99: true} {
		if svg := Coverages([]Coverage{{Name: "lynx", Claimed: claimed, Realised: 1}}, Narrow); strings.Contains(string(svg), ">claimed<") != want {
			t.Errorf("with %v claimed the key is there: %v", claimed, !want)
		}
	}
}

// The axis of a haircut's picture goes beyond its last diamond, to a mark.
func TestMarksOfDumbbellsGoToTheEnd(t *testing.T) {
	for _, most := range []int{3, 8, 45, 55, 120, 147, 1100, 12288} {
		for _, w := range []Width{Wide, Narrow} {
			svg := Dumbbells([]Dumbbell{{Name: "tiger/h200", Head: true}, {Name: "research/oak", Assigned: most / 2, Backed: most / 2, Proposed: most / 3, Highest: most}}, w)
			values, _ := marksOf(t, svg)
			even(t, "values", values)
			if last := values[len(values)-1]; last < float64(most) {
				t.Errorf("%d stands beyond the last mark of %v", most, values)
			}
			if !strings.Contains(string(svg), " GPUs</text>") {
				t.Error("the axis does not say what it counts")
			}
			inside(t, "dumbbells", svg)
		}
	}
}
