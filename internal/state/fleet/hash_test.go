package fleet_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The hash is worked out piece by piece, and is still that of the whole encoding: for a new
// state, and for states in which one field, each field, or no field says something.
func TestHashIsOfTheEncoding(t *testing.T) {
	full := fleet.NewState()
	hashes(t, "a new state", full)
	hashes(t, "an empty state", &fleet.State{})
	for i := range reflect.TypeFor[fleet.State]().NumField() {
		if f := reflect.TypeFor[fleet.State]().Field(i); f.IsExported() {
			one := &fleet.State{}
			say(reflect.ValueOf(one).Elem().Field(i))
			hashes(t, f.Name, one)
			say(reflect.ValueOf(full).Elem().Field(i))
		}
	}
	full.Buffers = map[string]fleet.Buffer{"tiger": {}, "tiger/h200": {}, "oak & <elm>": {}, "": {}}
	full.Workloads = map[uint64]*fleet.Workload{1: {}, 2: {ID: 2}, 10: {ID: 10}, 100: nil}
	full.EndedOrder = []uint64{3, 1, 2}
	hashes(t, "a full state", full)
	for i := range uint64(1000) {
		full.Workloads[i*i], full.EndedOrder = &fleet.Workload{ID: i}, append(full.EndedOrder, i)
		full.Buffers[fmt.Sprint("tiger/", i, "<")] = fleet.Buffer{}
		if over := len(full.EndedOrder) % 256; over < 2 || over == 255 { // around the number of parts that are encoded at once
			hashes(t, fmt.Sprintf("a state with a list of %d", len(full.EndedOrder)), full)
		}
	}
	hashes(t, "a large state", full)
	full.Workloads, full.EndedOrder, full.Quotas = map[uint64]*fleet.Workload{}, []uint64{}, []*fleet.Quota{}
	hashes(t, "a state with empty lists", full)
}

// say gives a field something to say.
func say(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Int64:
		v.SetInt(7)
	}
}

func hashes(t *testing.T, what string, s *fleet.State) {
	t.Helper()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if is, want := s.Hash(), hex.EncodeToString(sum[:8]); is != want {
		t.Errorf("%s: the hash is %s, and that of its encoding %s: %.200s", what, is, want, data)
	}
}
