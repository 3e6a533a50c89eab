package words_test

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

func TestRunsOfTheSameSentenceAreToldOnce(t *testing.T) {
	lines := func(says ...string) (list []words.Line) {
		for _, s := range says {
			list = append(list, words.Line{Says: s})
		}
		return list
	}
	got := words.Merge(lines("a", "a", "a", "b", "a", "c", "c"))
	if want := []string{"a (3 times)", "b", "a", "c (2 times)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := words.Merge(nil); len(got) != 0 {
		t.Errorf("nothing is told as %q", got)
	}
}

func TestWhatIsSaidOfSeveralIsToldOnceWithTheirNames(t *testing.T) {
	got := words.Merge([]words.Line{{"oak/a", "leaves"}, {"oak/a", "waits"}, {"oak/b", "leaves"}, {"oak/b", "waits"}, {"oak/b", "grows"}, {"oak/b", "grows"}})
	if want := []string{"each of oak/a, oak/b leaves", "each of oak/a, oak/b waits", "oak/b grows (2 times)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReplicasThatAreHeldOtherwiseAreAddedUp(t *testing.T) {
	holds := func(data string) step { return step{"holds.changed", data} }
	got := words.Sums([]step{
		holds(`{"id":4,"pool":0,"from":0,"to":3,"holds":2}`), holds(`{"id":5,"pool":0,"from":0,"to":1,"holds":2}`),
		{"x", "{}"},
		holds(`{"id":4,"pool":1,"from":2,"to":4,"holds":2}`),
	}, func(_ step, data string) step { return holds(data) })
	if len(got) != 3 || got[0].data != `{"id":4,"pool":0,"from":0,"to":5,"holds":2}` {
		t.Errorf("%q", got)
	}
}
