package fleet

import (
	"cmp"
	"slices"
)

// SignOff ends sign-ins of a person before their time: those that began no later than At.
type SignOff struct {
	User    string  `json:"user"`
	Session string  `json:"session,omitempty"` // names one; "": all of them
	At      Instant `json:"at"`
}

// SignOffMemory is how many of them are remembered; beyond it the oldest are forgotten. No
// sign-in lasts as long as so many take.
const SignOffMemory = 10_000

// SignOff notes that sign-ins have ended.
func (s *State) SignOff(o SignOff) {
	at, found := slices.BinarySearchFunc(s.SignOffs, o, compareSignOffs)
	list := slices.Clone(s.SignOffs)
	if found {
		list[at] = o
	} else {
		list = slices.Insert(list, at, o)
	}
	if len(list) > SignOffMemory {
		oldest := 0
		for i := range list {
			if list[i].At < list[oldest].At {
				oldest = i
			}
		}
		list = slices.Delete(list, oldest, oldest+1)
	}
	s.SignOffs = list
}

// SignedOff says whether a sign-in of a person, which began at a moment, was ended.
func (s *State) SignedOff(user, session string, began Instant) bool {
	for _, name := range []string{"", session} {
		at, found := slices.BinarySearchFunc(s.SignOffs, SignOff{User: user, Session: name}, compareSignOffs)
		if found && began <= s.SignOffs[at].At {
			return true
		}
	}
	return false
}

// SignOffsOf is how many sign-ins of a person were ended one by one since a moment.
func (s *State) SignOffsOf(user string, since Instant) (n int) {
	at, _ := slices.BinarySearchFunc(s.SignOffs, SignOff{User: user}, compareSignOffs)
	for ; at < len(s.SignOffs) && s.SignOffs[at].User == user; at++ {
		if s.SignOffs[at].Session != "" && s.SignOffs[at].At >= since {
			n++
		}
	}
	return n
}

func compareSignOffs(a, b SignOff) int {
	return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Session, b.Session))
}
