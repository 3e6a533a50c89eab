package words

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
)

// An update of an incident says what is otherwise now: its dry run shows nothing else.
func TestAnUpdateOfAnIncidentSaysWhatChanges(t *testing.T) {
	sev, owner, none := "sev1", "olga", ""
	for want, e := range map[string]event.IncidentUpdated{
		"is updated: the pump is replaced":                 {Note: "the pump is replaced"},
		"is now sev1, owned by olga: the pump is replaced": {Severity: &sev, Owner: &owner, Note: "the pump is replaced"},
		"is now in the whole fleet, without an owner":      {Scope: &none, Owner: &none},
		"is now on n1, n2":                                 {Nodes: &[]string{"n1", "n2"}},
		"is now without a link, without nodes":             {Link: &none, Nodes: &[]string{}},
		"is now without a severity, written down at olga":  {Severity: &none, Link: &owner},
	} {
		if got := incidentUpdated(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
