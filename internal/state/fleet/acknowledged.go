package fleet

import "slices"

// Acknowledgement says that a person has seen a warning, until when that is enough,
// and why.
type Acknowledgement struct {
	Key    string  `json:"key"` // of the warning
	By     string  `json:"by"`
	Until  Instant `json:"until"`
	Reason string  `json:"reason,omitempty"`
}

// MostAcknowledged bounds the acknowledgements that are kept; the oldest go first.
const MostAcknowledged = 1000

// Acknowledge keeps an acknowledgement, in place of an earlier one of the same
// warning. Those that are over at a moment are forgotten.
func (s *State) Acknowledge(a Acknowledgement, now Instant) {
	kept := slices.DeleteFunc(slices.Clone(s.Acknowledged), func(k Acknowledgement) bool { return k.Key == a.Key || k.Until <= now })
	if len(kept) >= MostAcknowledged {
		kept = kept[len(kept)-MostAcknowledged+1:]
	}
	kept = append(kept, a)
	s.Acknowledged = kept
}

// AcknowledgedAt finds the acknowledgement of a warning that holds at a moment.
func (s *State) AcknowledgedAt(key string, now Instant) (Acknowledgement, bool) {
	for _, a := range s.Acknowledged {
		if a.Key == key && a.Until > now {
			return a, true
		}
	}
	return Acknowledgement{}, false
}
