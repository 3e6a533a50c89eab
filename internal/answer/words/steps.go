package words

import (
	"encoding/json"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Step is an event that a dry run would lead to.
type Step interface {
	GetKind() string
	GetData() string
}

// Steps leaves out of what a dry run would lead to what its notes sum up already: who would
// have to leave, and whose work would be unprotected.
func Steps[S Step](events []S) []S {
	cut := map[uint64]bool{}
	for _, e := range events {
		if e.GetKind() == (event.ProtectionCut{}).Kind() {
			cut[idOf(e)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e S) bool {
		switch e.GetKind() {
		case event.ProtectionCut{}.Kind(), event.ReplicasEvicted{}.Kind():
			return true
		case event.HoldsChanged{}.Kind():
			var h event.HoldsChanged
			return json.Unmarshal([]byte(e.GetData()), &h) == nil && h.Holds == fleet.HoldsUnprotected && cut[h.ID]
		}
		return false
	})
}

func idOf(e Step) uint64 {
	var data struct{ ID uint64 }
	_ = json.Unmarshal([]byte(e.GetData()), &data)
	return data.ID
}
