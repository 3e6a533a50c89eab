package frame

import "testing"

// A warning concerns the pages about what it is about and about what contains that; a warning about the fleet concerns
// all of them.
func TestAWarningConcernsWhatItIsAbout(t *testing.T) {
	breaker, cut, server := Banner{About: []string{"tiger/h200"}}, Banner{About: []string{"lion/h100", OfQuota("research/oak")}}, Banner{About: []string{TheFleet}}
	for _, c := range []struct {
		page []string
		want [3]bool
	}{
		{nil, [3]bool{false, false, true}},
		{[]string{""}, [3]bool{false, false, true}},
		{[]string{TheFleet}, [3]bool{true, true, true}},
		{[]string{"tiger/h200"}, [3]bool{true, false, true}},
		{[]string{"tiger"}, [3]bool{true, false, true}},
		{[]string{"tig"}, [3]bool{false, false, true}},
		{[]string{"tiger/h20"}, [3]bool{false, false, true}},
		{[]string{OfQuota("research")}, [3]bool{false, true, true}},
		{[]string{OfQuota("research/oak/own")}, [3]bool{false, false, true}},
		{[]string{OfQuota("none"), "lion/h100"}, [3]bool{false, true, true}},
	} {
		if got := [3]bool{breaker.concerns(c.page), cut.concerns(c.page), server.concerns(c.page)}; got != c.want {
			t.Errorf("a page about %q has %v, should have %v", c.page, got, c.want)
		}
	}
}
