package fleet

import "slices"

// Callers is a copy of what says who may call: bindings of roles, tokens of service accounts and
// sign-ins that were ended. It has the policy, too, and nothing else of the state. It is a copy of its own, which later
// changes of the state leave as it is.
//
// Every call of anybody asks for it before all else. So who keeps a copy lets callers be known while
// the state itself is busy.
func (s *State) Callers() *State {
	return &State{
		Seq: s.Seq, Time: s.Time, Policy: s.Policy,
		Bindings: clonePointers(s.Bindings), Tokens: clonePointers(s.Tokens), SignOffs: slices.Clone(s.SignOffs),
	}
}
