package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

func newProposal(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "proposal", Aliases: []string{"proposals"},
		Short: "changes that take two people: list, approve, decline, withdraw",
		Long: `A policy can ask for two people (twoPeople: [policy, enforce, overcommit, waves]). Then one proposes the
change, by its own command with --propose, and another person who may make it approves or declines.`,
	}
	return group(cmd, newProposalList(a), newProposalAnswer(a, true), newProposalAnswer(a, false), newProposalWithdraw(a))
}

func newProposalList(a *app) *cobra.Command {
	ask := &musterv1.ListProposalsRequest{}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list changes that wait for a second person",
		Example: "  muster proposal list\n  muster proposal list --all",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			res, err := a.client().Access.ListProposals(ctx, ask)
			if err != nil {
				return err
			}
			t := newTable("Nothing waits for a second person.",
				column{head: "PROPOSAL", name: true}, column{head: "STATE"}, column{head: "BY"}, column{head: "WHEN"}, column{head: "WOULD", folds: true},
				column{head: "REASON", folds: true}, column{head: "ANSWERED BY"}, column{head: "ANSWER", folds: true, spare: true})
			for _, p := range res.GetProposals() {
				t.add(p.GetId(), stateOf(p), p.GetBy(), p.GetAt(), p.GetSays(), p.GetReason(), p.GetAnsweredBy(), p.GetAnswer())
			}
			mine := a.ownProposals(ctx, res.GetProposals())
			return a.print(a.Out, answer{message: res, table: t, tail: func(p *page) { p.ownProposals(mine); p.staleProposals(res.GetProposals()) }})
		},
	}
	cmd.Flags().BoolVar(&ask.All, "all", false, "those that were answered, too")
	return cmd
}

// proposalNumber reads the number of a proposal.
func proposalNumber(text string) (uint64, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil || id == 0 {
		return 0, usage("%.40q is no number of a proposal; muster proposal list shows them", text)
	}
	return id, nil
}

// answering are the words of approving and declining.
var answering = map[bool]struct{ use, short, said, example string }{
	true:  {"approve NUMBER", "approve what another person proposed; it is done at once", "approved, and done", "  muster proposal approve 3"},
	false: {"decline NUMBER", "decline what another person proposed", "declined", "  muster proposal decline 3 --reason 'after the deadline'"},
}

// ofPolicies are the kinds of events that a note about a proposal says in other words: what changes, from and to.
var ofPolicies = []string{"policy.set", "health.policy.set", "buffer.set", "buffer.cleared"}

func newProposalAnswer(a *app, approve bool) *cobra.Command {
	w, words := &writing{}, answering[approve]
	cmd := &cobra.Command{
		Use: words.use, Short: words.short, Example: words.example,
		Args: needs(1, 1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := proposalNumber(args[0])
			if err != nil {
				return err
			}
			return a.writeAround(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := a.client().Access.AnswerProposal(ctx, &musterv1.AnswerProposalRequest{Write: w.message(), Id: id, Approve: approve})
				return res.GetWritten(), err
			}, "proposal "+args[0]+" is "+words.said, around{unsaid: ofPolicies})
		},
	}
	w.flags(cmd)
	return cmd
}

func newProposalWithdraw(a *app) *cobra.Command {
	w := &writing{}
	cmd := &cobra.Command{
		Use: "withdraw NUMBER", Short: "take back what you proposed",
		Example: "  muster proposal withdraw 3",
		Args:    needs(1, 1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := proposalNumber(args[0])
			if err != nil {
				return err
			}
			return a.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := a.client().Access.WithdrawProposal(ctx, &musterv1.WithdrawProposalRequest{Write: w.message(), Id: id})
				return res.GetWritten(), err
			}, "proposal "+args[0]+" is withdrawn")
		},
	}
	w.flags(cmd)
	return cmd
}

// ownProposals are the numbers of the open proposals that the caller made; none, where that cannot be had.
func (a *app) ownProposals(ctx context.Context, list []*musterv1.Proposal) (numbers []string) {
	s, err := a.client().System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true})
	for _, p := range list {
		if err == nil && p.GetState() == "open" && p.GetBy() == s.GetActor() {
			numbers = append(numbers, fmt.Sprint(p.GetId()))
		}
	}
	return numbers
}

// ownProposals says why the caller cannot approve what it proposed.
func (p *page) ownProposals(numbers []string) {
	if len(numbers) > 0 {
		p.wrapAs("", fmt.Sprintf("You proposed %s: another person approves it, for no person approves their own. muster proposal withdraw takes one back.", words.Few(numbers, 8)))
	}
}

// stateOf is where a proposal stands; one is stale where the policy, or the plan of its haircut, is another one by now.
func stateOf(p *musterv1.Proposal) string {
	if p.GetStale() {
		return p.GetState() + ", stale"
	}
	return p.GetState()
}

// staleProposals says what becomes of proposals that cannot be approved any more.
func (p *page) staleProposals(list []*musterv1.Proposal) {
	for _, one := range list {
		if one.GetStale() {
			p.wrapAs("", fmt.Sprintf("Proposal %d is stale: it was made under another policy, or from another plan of its haircut, than there is now, so it cannot be approved. %s proposes it anew, and withdraws this one (muster proposal withdraw %d); another person declines it (muster proposal decline %d).",
				one.GetId(), one.GetBy(), one.GetId(), one.GetId()))
		}
	}
}
