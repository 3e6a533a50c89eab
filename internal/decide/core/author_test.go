package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// The author of a workload is what its cluster shows. An operator who names one is refused, and so is a
// text that is none.
func TestOnlyItsClusterSaysWhoMadeAWorkload(t *testing.T) {
	s := oneCluster(t, 4)
	submit := func(by core.Actor, name, author string) *core.Refusal {
		c := jobs(name, 1)[0].(core.Submit)
		c.Spec.Author = author
		_, no := core.Step(s, core.Request{Command: c, Actor: by}, 2)
		return no
	}
	operator := core.Actor{Name: "operator:ops", User: "ops", Operator: true}
	for what, c := range map[string]struct {
		by     core.Actor
		author string
		says   string
	}{
		"an operator":            {operator, "ada", "the author of a workload is what its cluster shows; leave it out"},
		"a part of Muster":       {core.System, "ada", "the author of a workload is what its cluster shows; leave it out"},
		"bytes that are no text": {core.Reporter, "\xff", "no valid UTF-8"},
		"a text without end":     {core.Reporter, strings.Repeat("a", 100_000), "at most"},
	} {
		if no := submit(c.by, "w", c.author); no == nil || no.Code != core.Invalid || !strings.Contains(no.Message, c.says) {
			t.Errorf("%s: %v, want %q", what, no, c.says)
		}
	}
	if no := submit(core.Reporter, "w", "ada"); no != nil {
		t.Fatal(no)
	}
	for _, w := range s.Workloads {
		if w.Author != "ada" || w.User != "" && w.User == w.Author {
			t.Errorf("it is recorded as %+v", w.Spec)
		}
	}
	if no := submit(operator, "other", ""); no != nil {
		t.Errorf("without an author: %v", no)
	}
}
