package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAnAcknowledgementIsPartOfTheState: who acknowledged a warning, and until when, is
// in the state that a restart finds, and is over when its time is.
func TestAnAcknowledgementIsPartOfTheState(t *testing.T) {
	st := tale{t, fleet.NewState()}
	until := moment(8 * time.Hour)
	st.do(0, core.AcknowledgeWarning{Key: "burst tiger/h200 xid", Until: until})
	data, err := st.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*fleet.State{"decoded": again, "cloned": st.s.Clone(), "forked": st.s.Fork()} {
		if a, ok := s.AcknowledgedAt("burst tiger/h200 xid", moment(time.Hour)); !ok || a.By != core.System.Name || a.Until != until {
			t.Errorf("%s: %+v", name, a)
		}
		if _, ok := s.AcknowledgedAt("burst tiger/h200 xid", until); ok {
			t.Errorf("%s: it holds beyond its time", name)
		}
	}
	for _, wrong := range []core.AcknowledgeWarning{{Until: until}, {Key: "x", Until: moment(0)}, {Key: "x", Until: moment(31 * 24 * time.Hour)}} {
		if _, refusal := core.Step(st.s, core.Request{Command: wrong, Actor: core.System}, moment(0)); refusal == nil || refusal.Code != core.Invalid {
			t.Errorf("%+v is refused with %v", wrong, refusal)
		}
	}
}
