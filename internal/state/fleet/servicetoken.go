package fleet

import (
	"slices"
	"strings"
)

// ServiceToken lets a service account ask. The secret itself is told once, to who made it,
// and kept nowhere: SHA256 is of 256 random bits, which are not found by trying.
type ServiceToken struct {
	ID      string  `json:"id"`      // names it in lists and in the audit log
	Account string  `json:"account"` // the service account that it stands for
	SHA256  string  `json:"sha256"`  // of the secret, in hex
	Made    Instant `json:"made"`
	Until   Instant `json:"until"`
	By      string  `json:"by"`
	Reason  string  `json:"reason,omitempty"`
}

// SetToken adds a token, or replaces the one of its ID.
func (s *State) SetToken(t ServiceToken) {
	at, found := s.tokenAt(t.ID)
	if found {
		s.Tokens[at] = &t
		return
	}
	s.Tokens = slices.Insert(s.Tokens, at, &t)
}

// Token finds a token by its ID, or nil.
func (s *State) Token(id string) *ServiceToken {
	if at, found := s.tokenAt(id); found {
		return s.Tokens[at]
	}
	return nil
}

// RemoveToken takes a token away.
func (s *State) RemoveToken(id string) {
	if at, found := s.tokenAt(id); found {
		s.Tokens = slices.Delete(slices.Clone(s.Tokens), at, at+1)
	}
}

func (s *State) tokenAt(id string) (int, bool) {
	return slices.BinarySearchFunc(s.Tokens, id, func(t *ServiceToken, id string) int { return strings.Compare(t.ID, id) })
}
