package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
)

const (
	amyToken = "amy-token-0123456789abcdef"
	benToken = "ben-token-0123456789abcdef"
)

// paired is a house with two admins, amy and ben, and bob who is none. Its policy asks for two
// people wherever it can.
func paired(t *testing.T, edit ...func(*api.Options)) *house {
	t.Helper()
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf("- {token_sha256: %s, user: amy, operator: true}\n- {token_sha256: %s, user: ben, operator: true}\n- {token_sha256: %s, user: bob}\n",
		sumOf(amyToken), sumOf(benToken), sumOf(bobToken))))
	must(t, err)
	h := open(t, append([]func(*api.Options){func(o *api.Options) { o.Auth = tokens }}, edit...)...)
	h.Client = h.as(amyToken, "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	_, err = h.Fleet.SetPolicy(t.Context(), &musterv1.SetPolicyRequest{Policy: &musterv1.Policy{TwoPeople: &musterv1.TwoPeople{For: []string{"policy", "enforce", "overcommit", "waves"}}}})
	must(t, err)
	return h
}

// alone are changes that take two people, each as a call of amy's.
func alone(c *client.Client, w *musterv1.Write) map[string]func(context.Context) (*musterv1.Written, error) {
	return map[string]func(context.Context) (*musterv1.Written, error){
		"the policy": func(ctx context.Context) (*musterv1.Written, error) {
			r, err := c.Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Write: w, Policy: &musterv1.Policy{Buffer: &musterv1.Buffer{Share: 0.3}}})
			return r.GetWritten(), err
		},
		"fewer things that take two": func(ctx context.Context) (*musterv1.Written, error) {
			r, err := c.Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Write: w, Policy: &musterv1.Policy{TwoPeople: &musterv1.TwoPeople{For: []string{"policy"}}}})
			return r.GetWritten(), err
		},
		"a buffer": func(ctx context.Context) (*musterv1.Written, error) {
			r, err := c.Fleet.SetBuffer(ctx, &musterv1.SetBufferRequest{Write: w, Scope: "tiger", Buffer: &musterv1.Buffer{Share: 0.3}})
			return r.GetWritten(), err
		},
		"overcommit": func(ctx context.Context) (*musterv1.Written, error) {
			r, err := c.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Write: w, Quota: "research/oak", Partition: "tiger/h200", Gpus: 128, Overcommit: true})
			return r.GetWritten(), err
		},
		"a fleet file": func(ctx context.Context) (*musterv1.Written, error) {
			r, err := c.Fleet.Apply(ctx, &musterv1.ApplyRequest{Write: w, Changes: []*musterv1.Change{{Change: &musterv1.Change_SetPolicy{SetPolicy: &musterv1.SetPolicyRequest{
				Policy: &musterv1.Policy{OpenReading: new(bool)}, // what differs is the next line's
			}}}, {Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 128, Overcommit: true}}}}})
			return r.GetWritten(), err
		},
	}
}

// What the policy names, no admin does alone; to try it takes no second person.
func TestWhatTakesTwoPeopleIsRefusedToOne(t *testing.T) {
	h := paired(t)
	before := h.hash()
	for what, do := range alone(h.Client, &musterv1.Write{Reason: "I want it"}) {
		_, err := do(t.Context())
		equal(t, what, client.Refused(err, client.TwoPeople), true)
	}
	equal(t, "state", h.hash(), before)
	for what, do := range alone(h.Client, &musterv1.Write{Reason: "I look", DryRun: true}) {
		_, err := do(t.Context())
		equal(t, what+", tried", err, nil)
	}
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Write: &musterv1.Write{Reason: "it fits"}, Quota: "research/oak", Partition: "tiger/h200", Gpus: 40})
	must(t, err) // within what is sustainable one person is enough
}

// One proposes it, and another who may do it approves; no person approves their own, and both are
// in the journal and in the audit log.
func TestTwoPeopleChangeThePolicy(t *testing.T) {
	log, err := audit.Open(t.TempDir(), nil)
	must(t, err)
	h := paired(t, func(o *api.Options) { o.Audit = recorded{log} })
	amy, ben, bob, ctx := h.Client, h.as(benToken, ""), h.as(bobToken, ""), t.Context()
	w, err := alone(amy, &musterv1.Write{Reason: "nodes fail more often", Propose: true})["the policy"](ctx)
	must(t, err)
	equal(t, "number", w.GetProposal(), uint64(1))
	yes := func(reason string) *musterv1.AnswerProposalRequest {
		return &musterv1.AnswerProposalRequest{Write: &musterv1.Write{Reason: reason}, Id: 1, Approve: true}
	}
	for what, c := range map[string]*client.Client{"amy": amy, "amy, acting for ben": h.as(amyToken, "ben"), "ben, acting for amy": h.as(benToken, "amy")} {
		_, err := c.Access.AnswerProposal(ctx, yes("mine"))
		equal(t, what, client.Refused(err, client.TwoPeople) || client.Refused(err, client.NotOperator), true)
		equal(t, what+" is called another's own", strings.Contains(err.Error(), "'s own"), false)
	}
	_, err = bob.Access.ListProposals(ctx, &musterv1.ListProposalsRequest{})
	equal(t, "bob reads proposals", err != nil && strings.Contains(err.Error(), "no role to read proposals; that takes"), true)
	_, err = bob.Access.AnswerProposal(ctx, yes("why not"))
	equal(t, "bob, who may not set it himself", client.Refused(err, client.NotOperator), true)
	_, err = bob.Access.AnswerProposal(ctx, &musterv1.AnswerProposalRequest{Id: 1})
	equal(t, "bob declines it", client.Refused(err, client.NotOperator), true)
	list, err := ben.Access.ListProposals(ctx, &musterv1.ListProposalsRequest{})
	must(t, err)
	equal(t, "what ben sees", len(list.GetProposals()) == 1 && list.GetProposals()[0].GetBy() == "operator:amy" && list.GetProposals()[0].GetAbout() == "policy", true)
	_, err = ben.Access.AnswerProposal(ctx, yes("I agree"))
	must(t, err)
	f, err := amy.Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{})
	must(t, err)
	equal(t, "buffer", f.GetPolicy().GetBuffer().GetShare(), 0.3)
	_, err = ben.Access.AnswerProposal(ctx, yes("again"))
	equal(t, "a second time", client.Refused(err, client.Stale), true)
	last, err := amy.Events.ListEvents(ctx, &musterv1.ListEventsRequest{Limit: 1})
	must(t, err)
	record := last.GetRecords()[0]
	equal(t, "the journal has both", record.GetActor() == "operator:ben" && strings.Contains(record.GetEvents()[0].GetData(), `"proposedBy":"operator:amy"`), true)
	entries, _, err := log.Entries(1, 1000)
	must(t, err)
	var noted []string
	for _, e := range entries {
		if e.Kind == audit.Proposal {
			noted = append(noted, e.Actor+": "+e.Text)
		}
	}
	equal(t, "the audit log has both", strings.Join(noted, "; "), "operator:amy: proposal 1: wants set-policy; operator:ben: proposal 1 of operator:amy is approved by operator:ben")
}

// A policy that was made from an older one would take back what was decided meanwhile.
func TestAnOldProposalTakesNothingBack(t *testing.T) {
	h := paired(t)
	ctx, ben := t.Context(), h.as(benToken, "")
	for _, share := range []float64{0.3, 0.2} {
		_, err := h.Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Write: &musterv1.Write{Propose: true}, Policy: &musterv1.Policy{Buffer: &musterv1.Buffer{Share: share}}})
		must(t, err)
	}
	said := func(id int) string {
		list, err := ben.Access.ListProposals(ctx, &musterv1.ListProposalsRequest{All: true})
		must(t, err)
		p := list.GetProposals()[id-1]
		return fmt.Sprint(p.GetSays(), " ", p.GetStale())
	}
	equal(t, "the first", said(1), "set the policy: buffer fixed 15 % → fixed 30 % false")
	tried, err := ben.Access.AnswerProposal(ctx, &musterv1.AnswerProposalRequest{Id: 2, Approve: true, Write: &musterv1.Write{DryRun: true}})
	must(t, err)
	equal(t, "a dry run of the second", tried.GetWritten().GetNotes()[0], "Proposal 2 would set the policy: buffer fixed 15 % → fixed 20 %.")
	_, err = ben.Access.AnswerProposal(ctx, &musterv1.AnswerProposalRequest{Id: 2, Approve: true})
	must(t, err)
	equal(t, "the first, after that", said(1), "set the policy: buffer fixed 15 % → fixed 30 % true")
	equal(t, "the second, which was approved", said(2), "set the policy: buffer fixed 15 % → fixed 20 % false")
	s, err := ben.System.Status(ctx, &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "ben's status", strings.Contains(strings.Join(s.GetBanners(), ";"), "Proposal 1 is stale: the policy, or the plan of its haircut, has changed since operator:amy made it"), true)
	_, err = ben.Access.AnswerProposal(ctx, &musterv1.AnswerProposalRequest{Id: 1, Approve: true})
	equal(t, "the older one", client.Refused(err, client.Stale), true)
	_, err = ben.Access.WithdrawProposal(ctx, &musterv1.WithdrawProposalRequest{Id: 1})
	equal(t, "ben withdraws amy's", client.Refused(err, client.AccessDenied), true)
	_, err = h.Access.WithdrawProposal(ctx, &musterv1.WithdrawProposalRequest{Id: 1})
	must(t, err)
	list, err := ben.Access.ListProposals(ctx, &musterv1.ListProposalsRequest{})
	must(t, err)
	equal(t, "what waits", len(list.GetProposals()), 0)
}

// Where people sign in, the socket of the server's user approves nothing and proposes nothing: it may be the person who
// proposed.
func TestTheSocketApprovesNothing(t *testing.T) {
	h := paired(t, func(o *api.Options) { o.Auth = api.SignIns{socketed{}, o.Auth} })
	ask := func(c *client.Client) error {
		_, err := c.Fleet.SetBuffer(t.Context(), &musterv1.SetBufferRequest{Write: &musterv1.Write{Propose: true, Reason: "more is kept back"}, Scope: "tiger", Buffer: &musterv1.Buffer{Share: 0.3}})
		return err
	}
	answer := func(c *client.Client) error {
		_, err := c.Access.AnswerProposal(t.Context(), &musterv1.AnswerProposalRequest{Write: &musterv1.Write{Reason: "it is right"}, Id: 1, Approve: true})
		return err
	}
	socket := h.as(opsToken, "")
	equal(t, "the socket proposes", client.Refused(ask(socket), client.TwoPeople), true)
	must(t, ask(h.as(amyToken, "")))
	for _, as := range []string{"", "ben", "ghost"} {
		equal(t, "the socket approves, as "+as, client.Refused(answer(h.as(opsToken, as)), client.TwoPeople), true)
	}
	must(t, answer(h.as(benToken, "")))
}

// WOULD said the name of a setting, and for many changes not what it is now.
func TestAProposalSaysWhatItChangesFromAndTo(t *testing.T) {
	h := paired(t)
	propose := &musterv1.Write{Reason: "it is time", Propose: true}
	got, err := h.Fleet.GetFleet(t.Context(), &musterv1.GetFleetRequest{})
	must(t, err)
	policy := got.GetHealth()
	policy.Budget, policy.Rules.Rules = new(float64), policy.GetRules().GetRules()[1:]
	*policy.Budget = 0.2
	_, err = h.Health.SetHealthPolicy(t.Context(), &musterv1.SetHealthPolicyRequest{Write: propose, Policy: policy})
	must(t, err)
	calls := alone(h.Client, propose)
	for _, what := range []string{"a buffer", "overcommit", "fewer things that take two"} {
		_, err := calls[what](t.Context())
		must(t, err)
	}
	_, err = h.Haircuts.SetClusterMode(t.Context(), &musterv1.SetClusterModeRequest{Write: propose, Cluster: "tiger", Mode: "shadow"})
	must(t, err)
	list, err := h.as(benToken, "").Access.ListProposals(t.Context(), &musterv1.ListProposalsRequest{})
	must(t, err)
	for i, want := range []string{
		"set the health policy: budget 10 % → 20 %, rule \"application errors\" (codes 8 13 31 43 45 66 69 137, own, then nothing, quiet 5m) removed",
		"set the buffer of tiger: that of the wider scope → fixed 30 %",
		"set the grant of research/oak in tiger/h200: 32 → 128 GPUs, also beyond what is sustainable",
		"set the policy: two people [policy, enforce, overcommit, waves] → [policy]",
		"set the mode of cluster tiger: enforce → shadow",
	} {
		equal(t, fmt.Sprint("proposal ", i+1), list.GetProposals()[i].GetSays(), want)
	}
}
