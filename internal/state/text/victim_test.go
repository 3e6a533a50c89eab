package text

import "testing"

func TestOnlyWhatDecidedIsSaidOfWorkThatGivesWay(t *testing.T) {
	mid := Side{Namespace: "maple", Target: "flex", Priority: "mid", Importance: 2}
	high := Side{Namespace: "cedar", Target: "flex", Priority: "high", Importance: 1}
	quota := func(s Side, target string) Side { s.Target = target; return s }
	of := func(s Side, namespace string) Side { s.Namespace = namespace; return s }
	for name, c := range map[string]struct {
		class string
		w, by Side
		want  string
	}{
		"quota takes flex":                         {"flex", mid, quota(high, "oak"), "this work is on flex, and work of the quota oak goes before it"},
		"unprotected work of another quota":        {"unprotected", quota(mid, "elm"), quota(mid, "oak"), "this work is unprotected, and work of the quota oak goes before it"},
		"on flex priorities of others never count": {"flex", high, mid, "this work is on flex, where the namespace with less flex goes first: maple is below its share, and cedar was above"},
		"on flex of one namespace they do":         {"flex", mid, of(high, "maple"), "this work is on flex: in flex, high priority goes before mid"},
		"in one quota":                             {"importance", quota(mid, "oak"), quota(high, "oak"), "this work is less important: in oak, high priority goes before mid"},
		"rank decided, not priority":               {"importance", quota(high, "oak"), quota(mid, "oak"), "this work is less important"},
		"the owner of backing takes it":            {"borrowing", quota(high, "oak"), quota(mid, "elm"), "no backing of its quota is left for this work, and elm takes it"},
	} {
		if got := GivesWay(c.class, c.w, c.by); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
