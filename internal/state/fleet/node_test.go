package fleet

import "testing"

// TestEveryNodeStateKeepsWorkOrIsInRepairOrIsPlanned: a state that is new says which of them it is.
func TestEveryNodeStateKeepsWorkOrIsInRepairOrIsPlanned(t *testing.T) {
	for _, s := range NodeStates() {
		planned := s == Maintenance || s == Retired
		is := 0
		for _, holds := range []bool{s.Keeps(), s.InRepair(), planned} {
			if holds {
				is++
			}
		}
		if is != 1 {
			t.Errorf("%s: %d of these hold: it keeps work, it is in repair, it is out as planned", s, is)
		}
	}
}
