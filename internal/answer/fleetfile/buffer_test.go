package fleetfile

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const ownBuffers = `clusters:
  - name: tiger
    buffer: {share: 0.2}
    partitions:
      - gpu: h200
        buffer: {kind: calibrated, confidence: 0.999}
        islands:
          - {name: i1, nodes: 4, buffer: {share: 0}}
          - {name: i2, nodes: 4}
`

// A cluster, a partition and an island may each have a buffer policy of their own,
// and it comes back from the file that is written.
func TestScopesHaveBuffersOfTheirOwn(t *testing.T) {
	s := built(t, ownBuffers)
	p := s.Partition("tiger/h200")
	if got := s.BufferFor(p, 0); got != (fleet.Buffer{Kind: fleet.Fixed}) {
		t.Errorf("island i1 has %v", got)
	}
	if got := s.BufferFor(p, 1); got.Kind != fleet.Calibrated || got.Confidence != 999 {
		t.Errorf("island i2 has %v", got)
	}
	if text := string(Write(s)); built(t, text).Hash() != s.Hash() {
		t.Errorf("another fleet comes out of\n%s", text)
	}
	_, changes := Diff(s, parse(t, strings.Replace(ownBuffers, "0.2", "0.25", 1)))
	if got := lines(changes); got != "~ buffer of tiger: fixed 20 % → fixed 25 %" {
		t.Errorf("one changed:\n%s", got)
	}
	if _, changes = Diff(s, parse(t, "clusters: [{name: tiger, partitions: [{gpu: h200, islands: [{name: i1, nodes: 4}]}]}]")); len(changes) > 0 {
		t.Errorf("a file without buffers changes\n%s", lines(changes))
	}
}
