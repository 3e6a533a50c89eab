package fleet

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// asRead is a workload's spec as a journal gives it: each text is of its own.
func asRead(namespace string) Spec {
	own := strings.Clone
	return Spec{
		Name: own("train"), Namespace: own(namespace), User: own("ada"), Target: own(Flex), Author: own("robot"),
		Pools: []Pool{{Name: own("worker"), GPUs: 8, Min: 2, Max: 2, Reach: Reach(own(string(ReachAny)))}},
	}
}

func sameText(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// Equal texts and pools of workloads are one object each, whether they came one by one or were read with a state.
func TestWorkloadsShareEqualTexts(t *testing.T) {
	s := NewState()
	a, b := s.AddWorkload(1, asRead("ml"), 0), s.AddWorkload(2, asRead("ml"), 0)
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for way, w := range map[string][2]*Workload{"one by one": {a, b}, "read": {read.Workloads[1], read.Workloads[2]}} {
		x, y := w[0], w[1]
		if !sameText(x.Namespace, y.Namespace) || !sameText(x.User, y.User) || !sameText(x.Target, y.Target) || !sameText(x.Author, y.Author) {
			t.Errorf("%s: texts of their own, which are equal", way)
		}
		if &x.Pools[0] != &y.Pools[0] {
			t.Errorf("%s: pools of their own, which are equal", way)
		}
	}
	s.Resize(a, 0, 3, 4)
	if b.Pools[0].Max != 2 || s.AddWorkload(3, asRead("ml"), 0).Pools[0].Max != 2 {
		t.Error("the size of one workload is that of another, too")
	}
}

// However many namespaces there ever were, the state remembers few texts for it.
func TestFewTextsAreRemembered(t *testing.T) {
	s := NewState()
	for i := range uint64(3 * mostShared) {
		spec := asRead(fmt.Sprint("team-", i))
		spec.Pools[0].Footprint = fmt.Sprint("cpu ", i)
		s.unlist(s.AddWorkload(i+1, spec, 0))
	}
	if texts, pools := len(s.shared.texts), len(s.shared.pools); texts > mostShared || pools > mostShared {
		t.Errorf("%d texts and %d pools are remembered, want %d of each at most", texts, pools, mostShared)
	}
}
