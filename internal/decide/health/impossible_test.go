package health

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestWhatCannotBeOnTheNodeIsRefused(t *testing.T) {
	node := &fleet.Node{Name: "n", GPUs: 4}
	for _, c := range []struct {
		check, code, kind, value string
		ok                       bool
	}{
		{CheckXID, "79", fleet.EntityGPU, "0", true},
		{CheckXID, "79", fleet.EntityGPU, "3", true},
		{CheckXID, "79", fleet.EntityGPU, "4", false},
		{CheckXID, "79", fleet.EntityGPU, "-1", false},
		{CheckXID, "79", fleet.EntityGPU, "GPU-4a2f", true}, // a UUID
		{CheckXID, "79", "NIC", "99", true},
		{CheckXID, "1", fleet.EntityGPU, "0", true},
		{CheckXID, "0", fleet.EntityGPU, "0", false},
		{CheckXID, "-5", fleet.EntityGPU, "0", false},
		{CheckXID, "DBE", fleet.EntityGPU, "0", true},
		{"Fans", "-5", fleet.EntityGPU, "0", true}, // codes of another check are no XIDs
	} {
		err := checkParts(&fleet.Signal{Node: "n", Check: c.check, Codes: []string{c.code}, Entities: []fleet.Entity{{Type: c.kind, Value: c.value}}}, node)
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
