package fleet_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// leftOut are the fields of a state that some copies do not take over whole, and why.
var leftOut = map[string][]string{
	"Keys":       {"Fork", "ForkAhead", "ForkInto", "ForkOf", "ForkTrial"}, // no old command is repeated on a fork
	"EndedOrder": {"ForkAhead", "ForkOf", "ForkTrial"},                     // what has ended neither waits nor stands
	"Partitions": {"ForkOf"},                                               // it is of some partitions alone,
	"Holds":      {"ForkOf"},                                               // with what is held there,
	"Workloads":  {"ForkOf"},                                               // and what stands or waits there
}

// Each way to copy a state takes over each of its fields. The copies are written by hand (clone.go,
// fork.go, forkpart.go): a field that one of them forgets is empty there, and what is tried on the copy
// comes out otherwise than on the state.
func TestEveryCopyTakesOverEveryField(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[fleet.State]()) {
		if len(field.Index) > 1 || !field.IsExported() {
			continue
		}
		s := speaking(t, field.Index[0])
		for way, c := range copiesOf(s) {
			if !slices.Contains(leftOut[field.Name], way) && written(t, c, field.Index[0]) != written(t, s, field.Index[0]) {
				t.Errorf("%s forgets State.%s: %s, want %s", way, field.Name, written(t, c, field.Index[0]), written(t, s, field.Index[0]))
			}
		}
	}
}

func copiesOf(s *fleet.State) map[string]*fleet.State {
	return map[string]*fleet.State{
		"Clone": s.Clone(), "Fork": s.Fork(), "ForkAhead": s.ForkAhead(2), "ForkInto": s.ForkInto(&fleet.Arena{}), "ForkOf": s.ForkOf(s.Partitions[:1]),
		"ForkTrial": s.ForkTrial(s.Partitions, nil, &fleet.Arena{}),
	}
}

// speaking is a state of two partitions in which a field, too, says something.
func speaking(t *testing.T, field int) *fleet.State {
	t.Helper()
	s := fleet.NewState()
	s.Partitions = []*fleet.Partition{{ID: "lion/h200", Cluster: "lion"}, {ID: "tiger/h200", Cluster: "tiger"}}
	if f := reflect.ValueOf(s).Elem().Field(field); f.IsZero() {
		sayOne(f)
	}
	s.Rebuild()
	if written(t, s, field) == written(t, &fleet.State{}, field) {
		t.Fatalf("State.%s says nothing", reflect.TypeFor[fleet.State]().Field(field).Name)
	}
	return s
}

// sayOne is say with something in each list that may be looked at.
func sayOne(v reflect.Value) {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Pointer {
		say(v)
		return
	}
	v.Set(reflect.Append(v, reflect.New(v.Type().Elem().Elem())))
}

func written(t *testing.T, s *fleet.State, field int) string {
	t.Helper()
	text, err := json.Marshal(reflect.ValueOf(s).Elem().Field(field).Interface())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
