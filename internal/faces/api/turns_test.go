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
