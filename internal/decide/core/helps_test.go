package core

import (
	"reflect"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// asked is by which command others help work that waits, for each reason that may be of class ask
// (ClusterNotReady is where a cluster's mode keeps it) and each kind of change of that class.
var asked = map[string]Command{
	string(reason.Held): ReleaseHold{}, string(reason.QuotaUnbacked): SetGrant{}, string(reason.ClusterNotReady): SetMode{},
	"holds": ReleaseHold{}, "transfer": Transfer{}, "grant": SetGrant{}, "gang": SetGrant{}, "mode": SetMode{}, "nodes": RecordValidation{},
}

// TestAnOwnerIsNamedWhereTheRoleMayHelp: people are sent to a quota owner where that role allows the
// command which helps, and only there.
func TestAnOwnerIsNamedWhereTheRoleMayHelp(t *testing.T) {
	for what, command := range asked {
		rule, ok := access.RuleOf(table[reflect.TypeOf(command)].action)
		if may := slices.Contains(rule.Roles, fleet.QuotaLead); !ok || may != reason.OwnerHelps(what) {
			t.Errorf("%s: people are told that a quota owner helps: %v; that the role may give %T: %v", what, reason.OwnerHelps(what), command, may)
		}
	}
	for _, r := range reason.Rows() {
		if r.Class == reason.Ask && asked[string(r.Code)] == nil {
			t.Errorf("%s is of class ask: say in asked which command helps", r.Code)
		}
	}
}
