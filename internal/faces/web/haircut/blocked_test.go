package haircut

import (
	"slices"
	"testing"
)

func TestWhatAWaveLacksIsAList(t *testing.T) {
	why, list := lacking("cluster tiger is not ready for a wave: quota oak has no owner; muster quota owner oak USER names one; no one was told; muster haircut tell cut --done notes it")
	want := []lack{{"quota oak has no owner", "muster quota owner oak USER"}, {"no one was told", "muster haircut tell cut --done"}}
	if why != "cluster tiger is not ready for a wave:" || !slices.Equal(list, want) {
		t.Errorf("%q %q", why, list)
	}
	if why, list := lacking("another wave comes first"); why != "another wave comes first" || len(list) > 0 {
		t.Errorf("%q %q", why, list)
	}
}
