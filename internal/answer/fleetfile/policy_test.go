package fleetfile_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// otherPolicy differs from the default in every field.
func otherPolicy() fleet.Policy {
	p := fleet.DefaultPolicy()
	p.Buffer = fleet.DefaultBuffer(fleet.Calibrated)
	p.Dwell, p.Probation, p.StaleAfter = 2*time.Hour, 3*time.Hour, 4*time.Minute
	p.FlexMinimum, p.MaxGrace = 5*time.Minute, 6*time.Minute
	p.SecondPerson, p.OpenReading = !p.SecondPerson, !p.OpenReading
	p.TwoPeople = fleet.TwoPeople{Enforce: true, Overcommit: true}
	p.Targets = fleet.Targets{Availability: 931, Uptime: 871, MTTR: 7 * time.Hour}
	p.Idle = fleet.Idle{Threshold: 70, Window: 8 * time.Hour}
	p.Maintenance = fleet.MaintenancePolicy{Horizon: 5 * time.Hour, Lead: 6 * time.Hour, Validation: time.Minute, KeepRoom: 2 * time.Hour, ZoneDays: 14}
	return p
}

// writtenAndRead is a state as a file, and that file as it is read: between the two there is no difference.
func writtenAndRead(t *testing.T, s *fleet.State) (text []byte, f fleetfile.File) {
	t.Helper()
	text = fleetfile.Write(s)
	f, err := fleetfile.Parse("f", text, fleetfile.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if commands, changes := fleetfile.Diff(s, f); len(commands) != 0 {
		t.Errorf("a difference after writing and reading: %v\n%s", changes, text)
	}
	return text, f
}

// Each field of the policy is written into the file and read from it: a field that is left out anywhere
// on that way would be lost without a word.
func TestEveryFieldOfThePolicySurvivesTheWay(t *testing.T) {
	want := otherPolicy()
	is, not := reflect.ValueOf(want), reflect.ValueOf(fleet.DefaultPolicy())
	for i := range is.NumField() {
		if reflect.DeepEqual(is.Field(i).Interface(), not.Field(i).Interface()) {
			t.Errorf("Policy.%s is the default's: give it another value here", is.Type().Field(i).Name)
		}
	}
	s := fleet.NewState()
	s.SetPolicy(want)
	text, f := writtenAndRead(t, s)
	if got := f.Policy.Over(fleet.DefaultPolicy()); !reflect.DeepEqual(got, want) {
		t.Errorf("written and read it is\n%+v, was\n%+v\n%s", got, want, text)
	}
	if commands, _ := fleetfile.Diff(fleet.NewState(), f); len(commands) == 0 {
		t.Error("no difference to the default policy is seen")
	}
}
