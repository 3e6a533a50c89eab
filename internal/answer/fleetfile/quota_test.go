package fleetfile_test

import (
	"reflect"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each field of a quota and of its grant is written into the file and read from it, and a fleet that lacks the quota
// comes to have it so.
func TestEveryFieldOfAQuotaSurvivesTheWay(t *testing.T) {
	want := fleet.Quota{Path: "research/oak", Owner: "ada", Access: fleet.Access{Users: []string{"bo"}, Groups: []string{"g"}, Namespaces: []string{"tiger/oak"}}}
	allSay(t, want)
	s := fleet.NewState()
	s.AddQuota(want)
	text, f := writtenAndRead(t, s)
	again, commands := fleet.NewState(), fleetfile.Commands(f)
	for _, c := range commands {
		if _, refusal := core.Step(again, core.Request{Command: c, Actor: core.System, Reason: "the first fleet"}, 1); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if got := again.Quota(want.Path); got == nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("made from the file it is\n%+v, was\n%+v\n%s", got, want, text)
	}
}
