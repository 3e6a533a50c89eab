package core

import (
	"reflect"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ofTheFleet are commands that name a quota or a cluster, and have no place by that.
var ofTheFleet = []string{
	"Retarget", "RequestQuota", "RequestAccess", "OfferQuota", // their functions ask whose the work, the request or the quota is
	"SetTargets", "HaltPartition", "TellHaircut", "ApplyHaircut", "UndoHaircut", // a role over the whole fleet alone
	"StopReports", "ResumeReports", "ReportOperation", "ReportEvidence", "Observe", "ReportFit", // what parts of Muster report
}

// A command that names a quota or a cluster acts there: a role in that scope reaches it. Without a place of its own
// (permit.go) only roles over the whole fleet did, and no other test says so.
func TestACommandActsWhereItSaysSo(t *testing.T) {
	says := map[string]string{"Path": "oak", "Quota": "oak", "From": "oak", "To": "oak", "Cluster": "tiger", "Partition": "tiger/h200"}
	found := 0
	for _, r := range rows() {
		kind := reflect.TypeOf(r.command)
		command, names := reflect.New(kind).Elem(), false
		for i := range kind.NumField() {
			text, ok := says[kind.Field(i).Name]
			if ok && kind.Field(i).Type.Kind() == reflect.String {
				command.Field(i).SetString(text)
				names = true
			}
		}
		if !names {
			continue
		}
		found++
		anywhere := slices.Contains(places(fleet.NewState(), command.Interface().(Command)), access.Place{})
		if listed := slices.Contains(ofTheFleet, kind.Name()); anywhere != listed {
			t.Errorf("%s names a quota or a cluster; it acts on the whole fleet: %v, listed as such: %v", kind.Name(), anywhere, listed)
		}
	}
	if found < 20 {
		t.Errorf("%d commands name a quota or a cluster, which are too few to believe this test", found)
	}
}
