package api

import (
	"context"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// proposed says in an answer which proposal was made, and in the audit log who made it.
func (s *service) proposed(ctx context.Context, r Result, w *musterv1.Written) error {
	record, err := s.original(ctx, r)
	if err != nil {
		return err
	}
	for _, e := range record.Events {
		if made, is := e.(event.ProposalMade); is {
			w.Proposal = made.Proposal.ID
			w.Notes = append(w.Notes, fmt.Sprintf("It is proposal %d, and nothing is changed yet. Another person approves it: muster proposal approve %d", w.GetProposal(), w.GetProposal()))
			if !r.Repeat {
				s.note(ctx, audit.Proposal, fmt.Sprintf("proposal %d: wants %s", made.Proposal.ID, made.Proposal.Command))
			}
		}
	}
	return nil
}

// ListProposals lists changes that wait for a second person.
func (s accessService) ListProposals(ctx context.Context, m *musterv1.ListProposalsRequest) (*musterv1.ListProposalsResponse, error) {
	out := &musterv1.ListProposalsResponse{}
	seen, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		for _, p := range state.Proposals {
			if m.GetAll() || p.State == fleet.ProposalOpen {
				out.Proposals = append(out.Proposals, proposalOf(state, p))
			}
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// AnswerProposal approves or declines what another person proposed.
func (s accessService) AnswerProposal(ctx context.Context, m *musterv1.AnswerProposalRequest) (*musterv1.AnswerProposalResponse, error) {
	w, err := s.answered(ctx, m, core.AnswerProposal{ID: m.GetId(), Approve: m.GetApprove()})
	if err == nil && m.GetApprove() && w.GetDryRun() {
		w.Notes = append([]string{s.saysOf(ctx, m.GetId())}, w.GetNotes()...)
	}
	return &musterv1.AnswerProposalResponse{Written: w}, err
}

// saysOf says what a proposal would do.
func (s accessService) saysOf(ctx context.Context, id uint64) (says string) {
	_, _ = s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error { // where it cannot be read, the effects still say it
		if p := state.Proposal(id); p != nil {
			says = fmt.Sprintf("Proposal %d would %s.", id, proposalSays(state, p))
		}
		return nil
	})
	return says
}

// WithdrawProposal takes back what the caller proposed.
func (s accessService) WithdrawProposal(ctx context.Context, m *musterv1.WithdrawProposalRequest) (*musterv1.WithdrawProposalResponse, error) {
	w, err := s.answered(ctx, m, core.WithdrawProposal{ID: m.GetId()})
	return &musterv1.WithdrawProposalResponse{Written: w}, err
}

// answered writes what came of a proposal, and both people into the audit log.
func (s accessService) answered(ctx context.Context, m writeMessage, c core.Command) (*musterv1.Written, error) {
	result, w, err := s.write(ctx, m, c)
	if err != nil || w.GetDryRun() || result.Repeat {
		return w, err
	}
	for _, e := range result.Record.Events {
		if ended, is := e.(event.ProposalEnded); is {
			s.note(ctx, audit.Proposal, fmt.Sprintf("proposal %d of %s is %s by %s", ended.ID, ended.ProposedBy, ended.State, ended.By))
		}
	}
	return w, nil
}
