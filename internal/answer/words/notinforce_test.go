package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

// summed is a cluster with its sums.
type summed struct {
	name, mode string
	promisable int32
}

func (c summed) GetCluster() string   { return c.name }
func (c summed) GetMode() string      { return c.mode }
func (c summed) GetFigures() summed   { return c }
func (c summed) GetPromisable() int32 { return c.promisable }

// A sum over clusters counts those in which Muster starts nothing, and says how much that is.
func TestASumSaysWhatIsNotInForce(t *testing.T) {
	all := []summed{{"tiger", "enforce", 96}, {"puma", "observe", 0}}
	if says := words.NotInForce(all); says != "" {
		t.Errorf("it says %q of a fleet that is all in force", says)
	}
	want := "Of the GPUs that can be promised 1,032 are in lynx (mode shadow) and lion (mode observe), where Muster starts nothing."
	if says := words.NotInForce(append(all, summed{"lynx", "shadow", 1024}, summed{"lion", "observe", 8})); says != want {
		t.Errorf("it says %q, not %q", says, want)
	}
}
