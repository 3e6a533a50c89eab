package fleetfile

import (
	"errors"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// FuzzFleetFile: whatever is in a file, it is refused with a place, or it builds
// a fleet whose own file says the same.
func FuzzFleetFile(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 8, gang: 8}]}]\n"))
	f.Add([]byte("policy: {buffer: {kind: calibrated}, idle: {threshold: 0.05, window: 4h}}\n"))
	f.Add([]byte("clusters: [{name: a, partitions: [{gpu: x, islands: [{name: i, names: ['1', \"2\"]}]}]}]\n"))
	f.Add([]byte("? [a]\n: b\n<<: {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f", data, Options{Partitions: map[string]int{}})
		if err != nil {
			var all yamlfile.Errors
			if !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("no place in %v", err)
			}
			return
		}
		if nodesIn(file) > 2000 {
			return // right, but slow to build a thousand times a second
		}
		s := fleet.NewState()
		build(t, s, Commands(file))
		again, err := Parse("again", Write(s), Options{Partitions: PartitionsOf(s)})
		if err != nil {
			t.Fatalf("written:\n%s\n%v", Write(s), err)
		}
		if _, changes := Diff(s, again); len(changes) > 0 {
			t.Fatalf("written:\n%s\ndiffers: %v", Write(s), changes)
		}
	})
}

func nodesIn(f File) int {
	n := 0
	for _, c := range f.Clusters {
		for _, p := range c.Partitions {
			for _, i := range p.Islands {
				n += i.Nodes
			}
		}
	}
	return n
}
