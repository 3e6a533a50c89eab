package server

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// Whose agents are let in, and whose not any more, stands in the audit log.
func TestEnrolmentLeavesARecord(t *testing.T) {
	folder := t.TempDir()
	a, err := link.OpenAuthority(folder)
	if err != nil {
		t.Fatal(err)
	}
	var noted []string
	e := enrolments{folder: folder, note: func(e audit.Entry) { noted = append(noted, string(e.Kind)+" "+e.Actor+": "+e.Text) }}
	enrol := func(cluster string) {
		t.Helper()
		if _, err := a.Enrol(cluster, time.Hour, false); err != nil {
			t.Fatal(err)
		}
	}
	enrol("puma")
	for _, change := range []func(){
		func() {}, func() {}, func() { enrol("tiger") }, func() { enrol("tiger") },
		func() {
			if err := a.Revoke("tiger"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		e.look()
	}
	want := []string{
		"enrolled cluster:puma: its agents are enrolled as the server starts", "enrolled cluster:tiger: its agents are enrolled",
		"enrolled cluster:tiger: another certificate is enrolled, or one less", "enrolled cluster:tiger: its agents are revoked",
	}
	if !slices.Equal(noted, want) {
		t.Errorf("noted %q", noted)
	}
}
