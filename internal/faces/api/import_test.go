package api_test

import (
	"fmt"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// sheetOf is a sheet with some clusters of a blueprint.
func sheetOf(rows int, blueprint string) []byte {
	var s strings.Builder
	s.WriteString("name,subscription,region,gpu,islands,blueprint\n")
	for i := range rows {
		fmt.Fprintf(&s, "lynx-%d,s%d,east,h200,4,%s\n", i, i, blueprint)
	}
	return []byte(s.String())
}

// A sheet whose rows are all refused is refused for its first ones: each costs a try.
func TestASheetOfRefusedRowsCostsLittle(t *testing.T) {
	h := furnished(t)
	var res *musterv1.ImportClustersResponse
	used, took := cost(func() {
		var err error
		res, err = h.Buildout.ImportClusters(t.Context(), &musterv1.ImportClustersRequest{Sheet: sheetOf(9000, "none"), Write: &musterv1.Write{Reason: "a new hall"}})
		must(t, err)
	})
	if n := len(res.GetErrors()); n != 100 || !strings.Contains(res.GetErrors()[0].GetMessage(), "blueprint") {
		t.Errorf("%d rows are named", n)
	}
	if used > mostMemory || took > mostTime {
		t.Errorf("it took %d MB and %v", used>>20, took)
	}
}

// What a sheet leads to is answered row by row: a sheet that was taken is not told to be too large.
func TestALargeSheetIsAnswered(t *testing.T) {
	h := furnished(t)
	_, err := h.Buildout.AddBlueprint(t.Context(), &musterv1.AddBlueprintRequest{
		Blueprint: &musterv1.Blueprint{Name: "nd", Version: 1, Checkin: "inventory", Meters: []*musterv1.Meter{{Meter: "nd", PerNode: 96}}},
	})
	must(t, err)
	res, err := h.Buildout.ImportClusters(t.Context(), &musterv1.ImportClustersRequest{Sheet: sheetOf(2000, "nd"), Write: &musterv1.Write{Reason: "a new hall"}})
	must(t, err)
	if len(res.GetRows()) != 2000 || len(res.GetErrors()) > 0 {
		t.Errorf("%d rows, %d mistakes", len(res.GetRows()), len(res.GetErrors()))
	}
}
