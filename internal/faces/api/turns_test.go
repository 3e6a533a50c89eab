package api

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// A caller has so many calls a second, and another's are not counted with them.
func TestCallsOfOneCallerAreCounted(t *testing.T) {
	all := newTurns()
	bob, ada := &caller{actor: core.Actor{Name: "user:bob"}}, &caller{actor: core.Actor{Name: "user:ada"}}
	let := 0
	for ; let < 1000*userBurst && all.call(bob) == nil; let++ {
	}
	if let < userBurst || let == 1000*userBurst {
		t.Errorf("%d calls of one caller are let through, and %d may have been saved up", let, userBurst)
	}
	if _ = all.call(&caller{actor: core.Actor{Name: "user:bob for user:eve"}}); len(all.callers) != 1 {
		t.Error("who acts for another has another share")
	}
	if err := all.call(ada); err != nil {
		t.Errorf("another caller is refused: %v", err)
	}
}

// A caller who has had much of its share gives way to all others; who asks now and then, or runs the fleet, does not.
func TestWhoHasHadTheirShareGivesWay(t *testing.T) {
	all := newTurns()
	all.spare = func() float64 { return 1 }
	bob, ada := &caller{actor: core.Actor{Name: "user:bob"}}, &caller{actor: core.Actor{Name: "user:ada"}}
	ops := &caller{actor: core.Actor{Name: "operator:ops"}, runs: true}
	for what, is := range map[string]*caller{"at first": bob, "another": ada, "an operator": ops} {
		if all.spent(is) {
			t.Errorf("%s gives way", what)
		}
	}
	all.charge(bob, 0.6*workSaved)
	all.charge(ops, 0.6*workSaved)
	if !all.spent(bob) || all.spent(ada) || all.spent(ops) {
		t.Errorf("after most of a share: %v, another %v, an operator %v", all.spent(bob), all.spent(ada), all.spent(ops))
	}
	all.spare = func() float64 { return 0.25 }
	all.charge(ada, 0.1*workSaved)
	if all.spent(ada) {
		t.Error("who has used a tenth gives way")
	}
}

// While the server is strained all callers save little. Once it is not, those who ask now and then have no less than
// they could have, so they do not give way.
func TestAfterAStrainOnlyThoseWhoAskedMuchGiveWay(t *testing.T) {
	all := newTurns()
	now := 0.25
	all.spare = func() float64 { return now }
	bob, ada := &caller{actor: core.Actor{Name: "user:bob"}}, &caller{actor: core.Actor{Name: "user:ada"}}
	for _, is := range []*caller{bob, ada} {
		all.pay(is)
	}
	all.charge(bob, 0.2*workSaved)
	now = 1
	for what, is := range map[string]*caller{"who asked much": bob, "who asked once": ada} {
		if all.pay(is); all.spent(is) != (is == bob) {
			t.Errorf("%s gives way: %v", what, all.spent(is))
		}
	}
}
