package fleet

import "time"

// Temporary is the part of a grant that ends by itself at a moment (semantics §4). Until
// then it is granted as the rest is. The zero value is none.
type Temporary struct {
	GPUs       int     `json:"gpus"`
	Until      Instant `json:"until"`
	Gang       int     `json:"gang,omitempty"`       // GPUs of the gang that the grant declares once it has ended
	Overcommit bool    `json:"overcommit,omitempty"` // of the grant once it has ended
	By         string  `json:"by"`                   // who granted it
	Reason     string  `json:"reason,omitempty"`
	Told       bool    `json:"told,omitempty"` // that it ends soon
}

// EndingNotice is how long before the end of a temporary grant its people are told.
const EndingNotice = 24 * time.Hour

// Lasting is the GPUs of the grant that do not end by themselves.
func (a *Account) Lasting() int { return a.Grant - a.Temporary.GPUs }

// AfterEnd is the gang that the grant declares, and whether it is overcommitted, once what of it
// ends has ended.
func (a *Account) AfterEnd() (gang int, overcommit bool) {
	if a.Temporary.GPUs > 0 {
		return a.Temporary.Gang, a.Temporary.Overcommit
	}
	return a.Gang, a.Overcommit
}

// TellAt is when people are told that the part ends soon; Never: they were, or there is none.
func (t Temporary) TellAt() Instant {
	if t.GPUs == 0 || t.Told {
		return Never
	}
	return t.Until.Add(-EndingNotice)
}

// SetTemporary says what of a quota's grant ends, and when.
func (p *Partition) SetTemporary(quota string, t Temporary) {
	p.EnsureAccount(quota).Temporary = t
	p.alarmTemporary(t)
}

// SetPassing says of a grant all of which ends whether there was none before it: then none is left after it.
func (p *Partition) SetPassing(quota string, first bool) {
	a := p.EnsureAccount(quota)
	a.Passing = a.Grant > 0 && a.Lasting() == 0 && (first || a.Passing)
}

// alarmTemporary asks for a look when people are to be told, and at the end.
func (p *Partition) alarmTemporary(t Temporary) {
	if t.GPUs == 0 {
		return
	}
	p.state.alarm(p, t.TellAt(), ofMetal)
	p.state.alarm(p, t.Until, ofMetal)
	p.state.endsAt = sooner(p.state.endsAt, min(t.TellAt(), t.Until))
}

// sooner is the earlier of two moments, of which the first may be 0: none.
func sooner(a, b Instant) Instant {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// GrantsEnd says whether some part of a grant may end by a moment, or its people are to be told.
func (s *State) GrantsEnd(now Instant) bool { return s.endsAt != 0 && s.endsAt <= now }

// GrantsEnded looks anew for the part of a grant that ends next.
func (s *State) GrantsEnded() {
	s.endsAt = 0
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			if t := a.Temporary; t.GPUs > 0 {
				s.endsAt = sooner(s.endsAt, min(t.TellAt(), t.Until))
			}
		}
	}
}
