package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Commands about what takes two people.
type (
	// Propose has a command wait for a second person, if its author could do it.
	Propose struct{ Command Command }
	// AnswerProposal approves a proposal of another person, which does it, or declines it.
	AnswerProposal struct {
		ID      uint64
		Approve bool
	}
	// WithdrawProposal takes one's own proposal back.
	WithdrawProposal struct{ ID uint64 }
)

func (Propose) command()          {}
func (AnswerProposal) command()   {}
func (WithdrawProposal) command() {}

// proposable are the commands that can wait for a second person, by the names that the state
// keeps them by. A name is forever, and so are the fields of its command.
var proposable = []struct {
	name string
	read func(data []byte) (Command, error)
}{
	{"set-policy", asCommand[SetPolicy]},
	{"set-buffer", asCommand[SetBuffer]},
	{"set-health-policy", asCommand[SetHealthPolicy]},
	{"set-mode", asCommand[SetMode]},
	{"set-grant", asCommand[SetGrant]},
	{"apply-haircut", asCommand[ApplyHaircut]},
	{"undo-haircut", asCommand[UndoHaircut]},
}

func asCommand[C Command](data []byte) (Command, error) {
	var c C
	err := json.Unmarshal(data, &c)
	return c, err
}

// kept is a command as the state keeps it; ok is false for one that cannot wait.
func kept(c Command) (name, change string, ok bool) {
	switch c.(type) {
	case SetPolicy:
		name = "set-policy"
	case SetBuffer:
		name = "set-buffer"
	case SetHealthPolicy:
		name = "set-health-policy"
	case SetMode:
		name = "set-mode"
	case SetGrant:
		name = "set-grant"
	case ApplyHaircut:
		name = "apply-haircut"
	case UndoHaircut:
		name = "undo-haircut"
	default:
		return "", "", false
	}
	data, err := json.Marshal(c)
	return name, string(data), err == nil
}

// unkept is a command that kept made.
func unkept(p *fleet.Proposal) (Command, *Refusal) {
	for _, row := range proposable {
		if row.name != p.Command {
			continue
		}
		if c, err := row.read([]byte(p.Change)); err == nil {
			return c, nil
		}
	}
	return nil, refuse(WrongState, "proposal %d is of another version of Muster; withdraw it, and propose it anew", p.ID)
}

// Proposed is the command that waits in a proposal; ok is false for one of another version of Muster.
func Proposed(p *fleet.Proposal) (c Command, ok bool) {
	c, refusal := unkept(p)
	return c, refusal == nil
}

// takesTwo is what of a command takes two people; "": nothing. Less may be asked of two people
// only by two people.
func takesTwo(s *fleet.State, c Command) string {
	two := s.Policy.TwoPeople
	switch c := c.(type) {
	case SetPolicy:
		fewer := slices.ContainsFunc(two.Names(), func(name string) bool { return !slices.Contains(c.Policy.TwoPeople.Names(), name) })
		return named("policy", (two.Policy || fewer) && s.Policy != c.Policy)
	case SetBuffer, SetHealthPolicy:
		return named("policy", two.Policy)
	case SetMode:
		return named("enforce", two.Enforce && c.Mode == fleet.Enforce)
	case AddCluster:
		return named("enforce", two.Enforce && modeOf(c) == fleet.Enforce)
	case SetGrant:
		return named("overcommit", two.Overcommit && c.Overcommit)
	case UndoHaircut:
		return named("overcommit", two.Overcommit && c.Overcommit)
	case ApplyHaircut:
		return named("waves", two.Waves)
	}
	return ""
}

// named is a name where something is so, else "".
func named(name string, so bool) string {
	if so {
		return name
	}
	return ""
}

// alonePerson refuses one person what takes two; to try it takes one. Muster's own parts are
// no person, and neither are operators of whom no proof was asked.
func alonePerson(s *fleet.State, r *Request) *Refusal {
	if r.second || r.Actor.Operator && r.Actor.Principal.Kind == "" {
		return nil
	}
	if c, is := r.Command.(SetPolicy); is && r.Actor.Principal.Kind == fleet.LocalPrincipal && c.Policy.TwoPeople != s.Policy.TwoPeople && c.Policy.TwoPeople != (fleet.TwoPeople{}) {
		return r.refused(refuse(WrongState, "the one who runs the server would wait for a second person for ever: have a person who signs in name what takes two people"))
	}
	about := takesTwo(s, r.Command)
	if _, adds := r.Command.(AddCluster); adds && about != "" {
		return r.refused(refuse(TwoPeople, "the policy asks for two people (twoPeople: %s): add the cluster in mode shadow or observe, and propose mode enforce for it", about))
	}
	if about != "" {
		return r.refused(refuse(TwoPeople, "the policy asks for two people (twoPeople: %s): propose it with --propose, and another person approves it", about))
	}
	return nil
}

// mostProposals is how many wait at a time.
const mostProposals = 200

func propose(s *fleet.State, r Request, c Propose, now fleet.Instant) ([]event.Event, *Refusal) {
	if b, is := c.Command.(Batch); is && len(b.Commands) == 1 {
		c.Command = b.Commands[0]
	}
	if r.Actor.Unnamed {
		return nil, unnamed(r.Actor, "propose it")
	}
	if own, _ := ownName(r.Actor.Name); r.Actor.Principal.Kind != "" && !aPerson(r.Actor) {
		return nil, refuse(TwoPeople, "%s is no person who signed in; what takes two people a person proposes, and another approves", own)
	}
	if _, _, ok := kept(c.Command); !ok {
		return nil, refuse(Invalid, "this cannot be proposed: one policy, buffer, mode, grant or wave of a haircut can; leave out --propose")
	}
	tried := r
	tried.Command, tried.second = c.Command, true
	would, refusal := Decide(s, tried, now)
	switch {
	case refusal != nil:
		return nil, refusal
	case len(would) == 0:
		return nil, refuse(NothingToDo, "this would change nothing: it is so already")
	}
	c.Command = ofWave(c.Command, would)
	name, change, _ := kept(c.Command)
	open, is := 0, base(s, c.Command)
	for _, p := range s.Proposals {
		if p.State == fleet.ProposalOpen {
			open++
		}
		if p.State == fleet.ProposalOpen && p.Command == name && p.Change == change && p.Base == is && !plannedAnew(s, p, c.Command) { // what was made from another policy is stale, and stands in the way of none
			return nil, refuse(NameTaken, "%s proposed the same already, as proposal %d", p.By, p.ID)
		}
	}
	if open >= mostProposals {
		return nil, refuse(WrongState, "%d proposals wait already; have some answered, or withdraw them", open)
	}
	return one(event.ProposalMade{Proposal: fleet.Proposal{
		ID: s.LastProposal + 1, About: takesTwo(s, c.Command), Command: name, Change: change, Base: is, Says: says(s, c.Command),
		By: r.Actor.Name, User: r.Actor.User, Person: r.Actor.Principal, At: now, Reason: r.Reason, State: fleet.ProposalOpen,
	}})
}

// ofWave is a command about the next wave of a haircut, or the last one, as one about the wave that it is now: another
// one may be next when it is approved.
func ofWave(c Command, would []event.Event) Command {
	for _, e := range would {
		switch e := e.(type) {
		case event.HaircutApplied:
			if apply, is := c.(ApplyHaircut); is {
				apply.Cluster, apply.Class = e.Cluster, e.Class
				return apply
			}
		case event.HaircutUndone:
			if undo, is := c.(UndoHaircut); is {
				undo.Cluster = e.Cluster
				return undo
			}
		}
	}
	return c
}

func openProposal(s *fleet.State, id uint64) (*fleet.Proposal, *Refusal) {
	p := s.Proposal(id)
	switch {
	case p == nil:
		return nil, refuse(NoSuchProposal, "there is no proposal %d", id)
	case p.State != fleet.ProposalOpen:
		return nil, refuse(Stale, "proposal %d was %s by %s", id, p.State, p.AnsweredBy)
	}
	return p, nil
}

func answerProposal(s *fleet.State, r Request, c AnswerProposal, now fleet.Instant) ([]event.Event, *Refusal) {
	p, refusal := openProposal(s, c.ID)
	if refusal != nil {
		return nil, refusal
	}
	switch {
	case c.Approve && r.Actor.Unnamed:
		return nil, unnamed(r.Actor, fmt.Sprintf("approve proposal %d", c.ID))
	case proposedBy(p, r.Actor):
		return nil, ownProposal(p, r.Actor)
	case c.Approve && !aPerson(r.Actor):
		return nil, refuse(TwoPeople, "%s is no person who signed in; a person approves proposal %d", r.Actor.Name, c.ID)
	}
	does := r
	if does.Command, refusal = unkept(p); refusal != nil {
		return nil, refusal
	}
	does.second = true
	events, refusal := Decide(s, does, now)
	ended := event.ProposalEnded{ID: c.ID, State: fleet.ProposalDeclined, ProposedBy: p.By, By: r.Actor.Name, Answer: r.Reason}
	if !c.Approve {
		if refusal != nil && (refusal.Code == AccessDenied || refusal.Code == NotOperator) {
			return nil, refusal
		}
		return one(ended)
	}
	if refusal == nil {
		refusal = movedOnSince(s, p, does.Command)
	}
	if refusal != nil {
		return nil, refusal
	}
	ended.State = fleet.ProposalApproved
	return append([]event.Event{ended}, events...), nil
}

// ownProposal refuses an answer to one's own proposal.
func ownProposal(p *fleet.Proposal, by Actor) *Refusal {
	if by.Name == p.By {
		return refuse(TwoPeople, "%s made proposal %d; another person answers it, and muster proposal withdraw takes it back", p.By, p.ID)
	}
	return refuse(TwoPeople, "%s made proposal %d, and %s is no other person; another one answers it, and muster proposal withdraw takes it back", p.By, p.ID, by.Name)
}

// proposedBy says whether an actor would answer their own proposal: as themselves, as whom
// they acted for, or as the one who acted for them.
func proposedBy(p *fleet.Proposal, by Actor) bool {
	return sameSelf(p.By, by.Name) || p.User != "" && p.User == by.User || p.Person.Kind != "" && p.Person == by.Principal
}

// unnamed refuses the one who runs the server, who may be the person who is to be the first, or the second.
func unnamed(by Actor, what string) *Refusal {
	return refuse(TwoPeople, "%s runs the server, and which person that is, is not known here: sign in (muster login, or --token), and %s as yourself", by.Name, what)
}

// ownName is the name of who acts, and whether that is for another.
func ownName(name string) (own string, forOther bool) {
	own, _, forOther = strings.Cut(name, " for ")
	return own, forOther
}

// sameSelf says whether one and the same acts under two names, for others or not.
func sameSelf(a, b string) bool {
	one, _ := ownName(a)
	other, _ := ownName(b)
	return one == other
}

// aPerson says whether an actor is a person who signed in, or the one who runs the server. A program that acts for a
// person is none: who makes its token could be the first person, too.
func aPerson(by Actor) bool {
	own, forOther := ownName(by.Name)
	if p, is := fleet.ParsePrincipal(own); forOther && is && p.Kind != fleet.UserPrincipal {
		return false
	}
	return by.Principal.Kind == fleet.UserPrincipal || by.Principal.Kind == fleet.LocalPrincipal
}

func withdrawProposal(s *fleet.State, r Request, c WithdrawProposal) ([]event.Event, *Refusal) {
	p, refusal := openProposal(s, c.ID)
	if refusal != nil {
		return nil, refusal
	}
	if !proposedBy(p, r.Actor) {
		return nil, refuse(AccessDenied, "proposal %d is of %s, who alone withdraws it; muster proposal decline answers it", c.ID, p.By)
	}
	return one(event.ProposalEnded{ID: c.ID, State: fleet.ProposalWithdrawn, ProposedBy: p.By, By: r.Actor.Name, Answer: r.Reason})
}
