package picture

import (
	"slices"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func TestWhatBecameOfWhatWouldHaveBeenDecided(t *testing.T) {
	of := func(would, happened string, gpus int32) *musterv1.ShadowCase {
		return &musterv1.ShadowCase{Would: would, Happened: happened, Gpus: gpus}
	}
	var got []string
	for _, s := range ShadowsOf([]*musterv1.ShadowCase{
		of("start", "started in tiger/h200", 8), of("leave", "still runs", 16), of("start", "still waits", 32), of("start", "started in tiger/b300", 8), of("start", "was cancelled", 8),
	}) {
		got = append(got, s.Line())
	}
	want := []string{
		"Muster would have started 4 workloads of 56 GPUs: 2 started, 1 still waits, 1 was cancelled",
		"Muster would have let leave 1 workload of 16 GPUs: 1 still runs",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it says %q, not %q", got, want)
	}
	if lines := ShadowsOf(nil); len(lines) != 0 {
		t.Errorf("of nothing it says %v", lines)
	}
}

// What became of several is said of several.
func TestWhatBecameOfSeveralIsSaidOfSeveral(t *testing.T) {
	of := func(happened string) *musterv1.ShadowCase {
		return &musterv1.ShadowCase{Would: "start", Happened: happened, Gpus: 8}
	}
	list := ShadowsOf([]*musterv1.ShadowCase{of("still waits"), of("still waits"), of("was cancelled"), of("was cancelled")})
	if got, want := list[0].Line(), "Muster would have started 4 workloads of 32 GPUs: 2 still wait, 2 were cancelled"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
