package health_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A condition is told by its check, its codes, what they are on, and who saw it.
func TestAConditionInWords(t *testing.T) {
	gpu := []fleet.Entity{{Type: fleet.EntityGPU, Value: "3"}}
	for want, c := range map[string]fleet.Condition{
		"XIDErrors 79 on GPU 3 (dcgm)":    {Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79"}, Entities: gpu},
		"XIDErrors 79,94 on GPU 3 (dcgm)": {Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79", "94"}, Entities: gpu},
		"XIDErrors 79,94 (dcgm)":          {Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79", "94"}},
		"NodeReady (npd)":                 {Agent: "npd", Check: "NodeReady"},
		"GPUMissing on GPU 3 (npd)":       {Agent: "npd", Check: "GPUMissing", Entities: gpu},
	} {
		if got := health.Words(&c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
