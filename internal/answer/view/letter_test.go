package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestLetters: one message for each owner, in plain words: what changes, why,
// what happens to work that runs, and where flex stands.
func TestLetters(t *testing.T) {
	h := fleet.Haircut{
		Name: "autumn", By: "operator:ops", Basis: fleet.BasisCluster,
		Waves: []fleet.Wave{{Cluster: "tiger", Parts: []fleet.CutPart{{
			Partition: "tiger/h200", Assigned: 80, Sustainable: 64, Excess: 16, FlexAfter: 24, Incidents: []string{"sev-12"},
			Causes:      []fleet.CutCause{{Cause: "quarantined", GPUs: 16}},
			Cuts:        []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 48, Now: 40, Usage: 32, Highest: 36}, {Quota: "r/b", Owner: "ben", Was: 32, Now: 24, Gang: 32}},
			Unprotected: []fleet.Touched{{Workload: "b/w", Quota: "r/b", GPUs: 8}},
		}}}},
	}
	letters := view.Letters(&h)
	if len(letters) != 2 || letters[0].Owner != "ada" || letters[1].Owner != "ben" {
		t.Fatalf("got %+v", letters)
	}
	for _, c := range []struct {
		text string
		says []string
	}{
		{letters[0].Text, []string{"Hello ada", "r/a in tiger/h200: 48 -> 40 GPUs (8 less", "the most in 90 days was 36", "The 16 above that: 16 are missing because nodes are suspect, quarantined or degraded.", "sev-12", "Nothing that runs is lost", "24 GPUs are flex"}},
		{letters[0].Markdown, []string{"| r/a | tiger/h200 | 48 | **40** |", "**Why.**"}},
		{letters[1].Text, []string{"b/w runs on, but 8 of its GPUs in tiger/h200 become unprotected", "The gang of 32 GPUs that it declares no longer fits"}},
	} {
		for _, want := range c.says {
			if !strings.Contains(c.text, want) {
				t.Errorf("%q is not in:\n%s", want, c.text)
			}
		}
	}
	if strings.Contains(letters[0].Text, "b/w") {
		t.Error("ada is told of ben's work")
	}
}

// TestALetterTellsTheBufferFromMissingNodes: where every node is healthy, no letter
// says that nodes are missing; the buffer is named for what it is.
func TestALetterTellsTheBufferFromMissingNodes(t *testing.T) {
	h := fleet.Haircut{
		By: "operator:ops", Basis: fleet.BasisCluster,
		Waves: []fleet.Wave{{Cluster: "tiger", Parts: []fleet.CutPart{{
			Partition: "tiger/h200", Installed: 480, Healthy: 480, Assigned: 480, Sustainable: 408, Excess: 72,
			Causes: []fleet.CutCause{{Cause: "over-assigned", GPUs: 72}},
			Cuts:   []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 480, Now: 408}},
		}}}},
	}
	text := view.Letters(&h)[0].Text
	if !strings.Contains(text, "The 72 above that: 72 are the buffer, kept back even while every node is healthy") {
		t.Errorf("the buffer is not named in:\n%s", text)
	}
	for _, lie := range []string{"metal", "missing"} {
		if strings.Contains(text, lie) {
			t.Errorf("%q, although every node is healthy:\n%s", lie, text)
		}
	}
}

// TestALetterSaysWhatIsUnprotected: who answers for work that a plan touches, or
// that runs unprotected already, is never told that nothing becomes less safe; and
// who loses no quota but protection gets a letter too.
func TestALetterSaysWhatIsUnprotected(t *testing.T) {
	part := fleet.CutPart{Partition: "tiger/h200", Assigned: 80, Sustainable: 64, Excess: 16, Cuts: []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 48, Now: 40}}}
	later := part
	part.Known = []fleet.Touched{{Workload: "a/old", Quota: "r/a", Owner: "ada", GPUs: 8}}
	later.Unprotected = []fleet.Touched{{Workload: "b/guest", Quota: "r/b", Owner: "ben", GPUs: 16}}
	later.Cuts = []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 40, Now: 32}}
	letters := view.Letters(&fleet.Haircut{Name: "autumn", Basis: fleet.BasisCluster, Waves: []fleet.Wave{
		{Cluster: "tiger", Class: fleet.CutUnscheduled, Parts: []fleet.CutPart{part}}, {Cluster: "tiger", Class: fleet.CutRest, Parts: []fleet.CutPart{later}},
	}})
	if len(letters) != 2 {
		t.Fatalf("got %+v", letters)
	}
	for _, c := range []struct{ text, want string }{
		{letters[0].Text, "48 -> 32 GPUs (16 less: 8 in wave 1, assigned above usage; 8 in wave 2, the rest)"},
		{letters[0].Text, "a/old is unprotected already with 8 GPUs in tiger/h200"},
		{letters[1].Text, "None of your quotas is cut"},
		{letters[1].Text, "b/guest runs on, but 16 of its GPUs in tiger/h200 become unprotected"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q is not in:\n%s", c.want, c.text)
		}
	}
	for _, l := range letters {
		if strings.Contains(l.Text, "becomes less safe") {
			t.Errorf("%s is told that nothing becomes less safe:\n%s", l.Owner, l.Text)
		}
	}
}

// TestALetterGoesToWhoAnswersNow: an owner who was named after the plan was saved gets the letter.
func TestALetterGoesToWhoAnswersNow(t *testing.T) {
	s := fleet.NewState()
	s.AddQuota(fleet.Quota{Path: "r/a", Owner: "eve"})
	h := fleet.Haircut{Name: "autumn", Basis: fleet.BasisCluster, Waves: []fleet.Wave{{Cluster: "tiger", Parts: []fleet.CutPart{{
		Partition: "tiger/h200", Cuts: []fleet.Cut{{Quota: "r/a", Was: 48, Now: 40}, {Quota: "r/b", Owner: "ben", Was: 16, Now: 8}},
		Unprotected: []fleet.Touched{{Workload: "a/w", Quota: "r/a", GPUs: 8}},
	}}}}}
	letters := view.LettersNow(s, &h, func(full string) string { return full })
	if len(letters) != 2 || letters[0].Owner != "ben" || letters[1].Owner != "eve" || !strings.Contains(letters[1].Text, "a/w runs on") {
		t.Errorf("got %+v", letters)
	}
	if h.Waves[0].Parts[0].Cuts[0].Owner != "" {
		t.Error("the plan was changed")
	}
}

// TestALetterSaysWhenAndWhy: the reason that was given, the day, and why a cut is not what was
// asked; of waves in force, since when.
func TestALetterSaysWhenAndWhy(t *testing.T) {
	monday := fleet.InstantOf(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))
	wave := fleet.Wave{Cluster: "tiger", Class: fleet.CutRest, Parts: []fleet.CutPart{{
		Partition: "tiger/h200", Assigned: 80, Sustainable: 64, Excess: 16,
		Cuts: []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 64, Now: 40, Asked: 10, Why: fleet.CutForOthers}},
	}}}
	for _, one := range []struct {
		name string
		h    fleet.Haircut
		want []string
	}{
		{"a day", fleet.Haircut{Effective: monday, Reason: "the hall runs hot."}, []string{
			"Nothing changes before Mon 2026-11-30 00:00Z", "The reason that was given: the hall runs hot.\n",
			"would be 10 GPUs (16 % of its grant)", "because others keep their gangs",
		}},
		{"the share that was set", fleet.Haircut{Basis: fleet.BasisQuota, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: 150}}, []string{"would be 10 GPUs (15 % of its grant, in whole GPUs)"}},
		{"no day", fleet.Haircut{}, []string{"No day is set."}},
	} {
		one.h.Name, one.h.Waves = "autumn", []fleet.Wave{wave}
		for _, says := range []string{view.Letters(&one.h)[0].Text, view.Letters(&one.h)[0].Markdown} {
			for _, want := range one.want {
				if !strings.Contains(says, want) {
					t.Errorf("%s: %q is not in:\n%s", one.name, want, says)
				}
			}
		}
	}
	wave.Applied = monday
	h := fleet.Haircut{Name: "autumn", Waves: []fleet.Wave{wave}}
	if says := view.Letters(&h)[0].Text; !strings.Contains(says, "Wave 1 is in force since Mon 2026-11-30 00:00Z.") || strings.Contains(says, "No day") {
		t.Errorf("of a wave in force the letter says:\n%s", says)
	}
}

// TestALetterCountsEachGPUOnce: a quota that is cut in two waves has one line, with its use once. Work that the waves
// touch one after the other is told of with the GPUs that it has, not with those of each wave.
func TestALetterCountsEachGPUOnce(t *testing.T) {
	first := fleet.CutPart{
		Partition: "tiger/h200", Assigned: 80, Sustainable: 64, Excess: 16,
		Cuts:        []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 64, Now: 56, Usage: 48, Highest: 60, Asked: 16, Why: fleet.CutForOthers}},
		Unprotected: []fleet.Touched{{Workload: "a/out", Quota: "r/a", GPUs: 8}, {Workload: "a/less", Quota: "r/a", GPUs: 16}},
		Evicted:     []fleet.Touched{{Workload: "a/twice", Quota: "r/a", GPUs: 24}},
		Starts:      []fleet.Touched{{Workload: "a/twice", Quota: "r/a", GPUs: 24}},
		Requeued:    []fleet.Touched{{Workload: "a/soon", Quota: "r/a", GPUs: 32}},
		Known:       []fleet.Touched{{Workload: "a/old", Quota: "r/a", GPUs: 8}},
	}
	second := first
	second.Cuts = []fleet.Cut{{Quota: "r/a", Owner: "ada", Was: 56, Now: 40, Usage: 48, Highest: 60, Asked: 16, Why: fleet.CutForOthers}}
	second.Known = []fleet.Touched{{Workload: "a/out", Quota: "r/a", GPUs: 8}, {Workload: "a/less", Quota: "r/a", GPUs: 8}, {Workload: "a/old", Quota: "r/a", GPUs: 8}}
	second.Evicted = []fleet.Touched{{Workload: "a/out", Quota: "r/a", GPUs: 8}, {Workload: "a/twice", Quota: "r/a", GPUs: 24}, {Workload: "a/old", Quota: "r/a", GPUs: 8}}
	second.Unprotected, second.Starts = nil, nil
	letters := view.Letters(&fleet.Haircut{Name: "autumn", Basis: fleet.BasisCluster, Waves: []fleet.Wave{
		{Cluster: "tiger", Class: fleet.CutUnscheduled, Parts: []fleet.CutPart{first}}, {Cluster: "tiger", Class: fleet.CutRest, Parts: []fleet.CutPart{second}},
	}})
	if len(letters) != 1 {
		t.Fatalf("got %+v", letters)
	}
	for _, says := range []string{letters[0].Text, letters[0].Markdown} {
		for _, once := range []string{
			"would be 16 GPUs (25 % of its grant) in all waves together", "a/less runs on, but 8 of its GPUs", "a/out gives way with 8 GPUs",
			"a/twice gives way with 24 GPUs", "loses its reserved room of 32 GPUs", "a/old gives way with 8 GPUs",
		} {
			if n := strings.Count(says, once); n != 1 {
				t.Errorf("%q is said %d times in:\n%s", once, n, says)
			}
		}
		for _, twice := range []string{"a/out runs on", "a/old is unprotected already", "48 GPUs", "64 GPUs in"} {
			if strings.Contains(says, twice) {
				t.Errorf("%q counts GPUs twice:\n%s", twice, says)
			}
		}
	}
	if !strings.Contains(letters[0].Text, "64 -> 40 GPUs (24 less: 8 in wave 1, assigned above usage; 16 in wave 2, the rest). It uses 48 now;") {
		t.Errorf("the cut is told as:\n%s", letters[0].Text)
	}
	if !strings.Contains(letters[0].Markdown, "| r/a | tiger/h200 | 64 | **40** | 48 | 60 | 1, assigned above usage: 8; 2, the rest: 16 |") {
		t.Errorf("the table is:\n%s", letters[0].Markdown)
	}
}
