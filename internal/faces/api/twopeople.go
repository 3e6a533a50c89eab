package api

import (
	"fmt"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Warnings that stand until what they say is over. They are not acknowledged.
const (
	glassKey = "glass "    // the person and the moment follow
	waitsKey = "proposal " // the number follows: the caller may answer it
	ownKey   = "proposed " // the number follows: the caller proposed it
)

// glassBroken says who broke the glass and is an admin until when. The reason is for everybody, as who gives it is told.
func glassBroken(state *fleet.State, now fleet.Instant) (list []*musterv1.Warning) {
	for _, b := range state.Bindings {
		if b.Sealed && b.Holds(now) {
			list = append(list, &musterv1.Warning{
				Key:   glassKey + b.Subject.String() + " " + b.Since.Time().UTC().Format(time.RFC3339Nano),
				Text:  b.Subject.String() + " broke the glass at " + clock(b.Since) + " and is an admin until " + clock(b.Until) + ": " + b.Reason,
				Until: wire.Instant(b.Until), Reason: b.Reason,
			})
		}
	}
	return list
}

// mostProposals is how many proposals have a warning each.
const mostProposals = 3

// proposalsOpen are warnings about changes that wait for a second person, for callers who see plans.
func proposalsOpen(state *fleet.State, c *caller) (list []*musterv1.Warning) {
	if !c.may(access.ReadPlans) {
		return nil
	}
	more := 0
	for _, p := range state.Proposals {
		switch {
		case p.State != fleet.ProposalOpen:
		case len(list) == mostProposals:
			more++
		default:
			list = append(list, proposalOpen(state, p, c))
		}
	}
	if more > 0 {
		list = append(list, &musterv1.Warning{Key: ownKey + "others", Text: text.Counted(more, "proposal more waits", "proposals more wait") + " for a second person: muster proposal list"})
	}
	return list
}

// proposalOpen says of a proposal that it waits: to who made it, and to others.
func proposalOpen(state *fleet.State, p *fleet.Proposal, c *caller) *musterv1.Warning {
	says := inShort(proposalSays(state, p))
	if core.MovedOn(state, p) {
		return &musterv1.Warning{Key: ownKey + fmt.Sprint(p.ID), Text: fmt.Sprintf("Proposal %d is stale: the policy, or the plan of its haircut, has changed since %s made it. Its author proposes it anew, and another person declines this one", p.ID, p.By)}
	}
	if p.By == c.actor.Name {
		return &musterv1.Warning{Key: ownKey + fmt.Sprint(p.ID), Text: fmt.Sprintf("Proposal %d, which is your own, waits for a second person. It would %s. muster proposal withdraw %d takes it back", p.ID, says, p.ID)}
	}
	return &musterv1.Warning{Key: waitsKey + fmt.Sprint(p.ID), Text: fmt.Sprintf("Proposal %d waits for a second person: %s would %s. muster proposal list shows it, and muster proposal approve %d does it", p.ID, p.By, says, p.ID)}
}

// mostSaid is how many characters a warning has of what a proposal would do.
const mostSaid = 240

// inShort is the beginning of a long text.
func inShort(says string) string {
	if letters := []rune(says); len(letters) > mostSaid {
		return string(letters[:mostSaid]) + " …"
	}
	return says
}
