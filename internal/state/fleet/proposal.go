package fleet

import "slices"

// TwoPeople is what one person alone may not do: one proposes it, another approves.
type TwoPeople struct {
	Policy     bool `json:"policy,omitempty"`     // the policy, buffers and the health policy
	Enforce    bool `json:"enforce,omitempty"`    // mode enforce of a cluster
	Overcommit bool `json:"overcommit,omitempty"` // grants beyond what is sustainable
	Waves      bool `json:"waves,omitempty"`      // waves of haircuts
}

// matters are the things that can take two people, by their names.
func (t *TwoPeople) matters() []struct {
	name string
	is   *bool
} {
	return []struct {
		name string
		is   *bool
	}{{"policy", &t.Policy}, {"enforce", &t.Enforce}, {"overcommit", &t.Overcommit}, {"waves", &t.Waves}}
}

// TwoPeopleFor are the names of what can take two people.
func TwoPeopleFor() (names []string) {
	for _, m := range new(TwoPeople).matters() {
		names = append(names, m.name)
	}
	return names
}

// Names are what takes two people.
func (t TwoPeople) Names() (names []string) {
	for _, m := range t.matters() {
		if *m.is {
			names = append(names, m.name)
		}
	}
	return names
}

// ReadTwoPeople has two people asked for what is named; ok is false where a name is unknown.
func ReadTwoPeople(names []string) (t TwoPeople, ok bool) {
	for _, name := range names {
		known := false
		for _, m := range t.matters() {
			if m.name == name {
				*m.is, known = true, true
			}
		}
		if !known {
			return TwoPeople{}, false
		}
	}
	return t, true
}

// ProposalState is where a proposal stands.
type ProposalState string

// The states of a proposal. All but ProposalOpen are final.
const (
	ProposalOpen      ProposalState = "open"
	ProposalApproved  ProposalState = "approved"
	ProposalDeclined  ProposalState = "declined"
	ProposalWithdrawn ProposalState = "withdrawn"
)

// Proposal is a change that waits for a second person, with what came of it.
type Proposal struct {
	ID      uint64        `json:"id"`
	About   string        `json:"about,omitempty"` // of TwoPeopleFor; "": no policy asked for two people
	Command string        `json:"command"`         // its name, and as JSON what it asks for
	Change  string        `json:"change"`
	Base    string        `json:"base,omitempty"` // the policy that this one would take the place of
	Says    string        `json:"says"`           // what it would do, in words that follow "would"
	By      string        `json:"by"`             // who proposes it, as the log shows it
	User    string        `json:"user,omitempty"`
	Person  Principal     `json:"person,omitzero"`
	At      Instant       `json:"at"`
	Reason  string        `json:"reason,omitempty"`
	State   ProposalState `json:"state"`

	ProposalAnswer
}

// ProposalAnswer says who answered a proposal, when and why.
type ProposalAnswer struct {
	Answered   Instant `json:"answered,omitempty"`
	AnsweredBy string  `json:"answeredBy,omitempty"`
	Answer     string  `json:"answer,omitempty"`
}

// ProposalMemory is how many ended proposals stay in the state; older ones are in the log.
const ProposalMemory = 200

// Proposal finds a proposal by its number, or nil.
func (s *State) Proposal(id uint64) *Proposal {
	for _, p := range s.Proposals {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// AddProposal adds a proposal.
func (s *State) AddProposal(p Proposal) {
	s.Proposals = append(slices.Clone(s.Proposals), &p)
	s.LastProposal = max(s.LastProposal, p.ID)
}

// EndProposal writes down what came of a proposal, and forgets the oldest of those that have
// ended, where there are too many.
func (s *State) EndProposal(id uint64, state ProposalState, answer ProposalAnswer) {
	list, ended, oldest := slices.Clone(s.Proposals), 0, -1
	for i, p := range list {
		if p.ID == id {
			is := *p
			is.State, is.ProposalAnswer = state, answer
			list[i], p = &is, &is
		}
		if p.State != ProposalOpen {
			if ended++; oldest < 0 {
				oldest = i
			}
		}
	}
	if ended > ProposalMemory {
		list = slices.Delete(list, oldest, oldest+1)
	}
	s.Proposals = list
}
