package core

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// admin is a person or a program with all rights.
func admin(kind fleet.PrincipalKind, name string) Actor {
	p := fleet.Principal{Kind: kind, Name: name}
	return Actor{Name: p.String(), User: name, Principal: p, Brings: []access.Grant{access.GrantOf(fleet.Admin, fleet.Scope{})}}
}

// noSecondPerson are those who could do what amy proposed, and are not another person than she.
func noSecondPerson(amy Actor) map[string]Actor {
	return map[string]Actor{
		"her program": admin(fleet.ServicePrincipal, "amys"),
		"a workload":  admin(fleet.KubernetesPrincipal, "oak/amys@tiger"),
		"herself":     amy,
		"her program in another's name": {
			Name: "serviceaccount:amys for user:ghost", User: "ghost", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ghost"}, Brings: admin(fleet.UserPrincipal, "ghost").Brings,
		},
		"an operator in her name": {
			Name: "operator:ops for user:amy", User: "amy", Operator: true, Principal: amy.Principal,
		},
	}
}

// What can take two people can be proposed, comes back as it was, and is refused to one person.
func TestWhatCanTakeTwoPeople(t *testing.T) {
	s := fleet.NewState()
	do := func(by Actor, c Command) *Refusal {
		t.Helper()
		_, refusal := Step(s, Request{Command: c, Actor: by, Reason: "the story"}, 1)
		return refusal
	}
	must := func(by Actor, c Command) {
		t.Helper()
		if refusal := do(by, c); refusal != nil {
			t.Fatalf("%T: %v", c, refusal)
		}
	}
	must(System, AddCluster{Name: "tiger", Mode: fleet.Shadow})
	must(System, AddPartition{Cluster: "tiger", GPU: "h200"})
	must(System, AddIslands{Partition: "tiger/h200", Islands: []NewIsland{{Name: "i1", Nodes: 2}}})
	must(System, CreateQuota{Path: "oak"})
	policy := s.Policy
	policy.TwoPeople = fleet.TwoPeople{Policy: true, Enforce: true, Overcommit: true, Waves: true}
	must(admin(fleet.UserPrincipal, "amy"), SetPolicy{Policy: policy})
	fewer := policy
	fewer.TwoPeople = fleet.TwoPeople{}
	health := fleet.DefaultHealth()
	health.Hung *= 2
	if refusal := do(admin(fleet.UserPrincipal, "amy"), Propose{Command: SetHealthPolicy{Policy: fleet.DefaultHealth()}}); refusal == nil || refusal.Code != NothingToDo {
		t.Errorf("what is so already is proposed: %v", refusal)
	}
	for i, c := range []Command{
		SetPolicy{Policy: fewer},
		SetBuffer{Scope: "tiger", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 300}},
		SetHealthPolicy{Policy: health},
		SetMode{Cluster: "tiger", Mode: fleet.Enforce},
		SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 16, Overcommit: true},
	} {
		amy, id := admin(fleet.UserPrincipal, "amy"), uint64(i+1)
		if refusal := do(amy, c); refusal == nil || refusal.Code != TwoPeople {
			t.Errorf("%T alone: %v", c, refusal)
		}
		must(amy, Propose{Command: c})
		if back, refusal := unkept(s.Proposal(id)); refusal != nil {
			t.Errorf("%T comes back as %v, %v", c, back, refusal)
		}
		for what, by := range noSecondPerson(amy) {
			if refusal := do(by, AnswerProposal{ID: id, Approve: true}); refusal == nil || refusal.Code != TwoPeople {
				t.Errorf("%T approved by %s: %v", c, what, refusal)
			}
		}
		if i == 0 {
			must(admin(fleet.UserPrincipal, "ben"), AnswerProposal{ID: id})
			continue // without it the others would take one person
		}
		must(admin(fleet.UserPrincipal, "ben"), AnswerProposal{ID: id, Approve: true})
	}
	if g := s.Partition("tiger/h200").Account("oak"); s.Cluster("tiger").Mode != fleet.Enforce || s.Buffers["tiger"].Share != 300 || g == nil || g.Grant != 16 {
		t.Errorf("what was approved was not done: %v %v %v", s.Cluster("tiger").Mode, s.Buffers, g)
	}
	if refusal := do(admin(fleet.UserPrincipal, "amy"), Propose{Command: CreateQuota{Path: "elm"}}); refusal == nil || refusal.Code != Invalid {
		t.Errorf("what takes one person is proposed: %v", refusal)
	}
	if refusal := do(Actor{Name: "operator:ops", Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "ops"}}, ApplyHaircut{Name: "none"}); refusal == nil || refusal.Code != TwoPeople {
		t.Errorf("who runs the server applies a wave alone: %v", refusal)
	}
}

// Who is asked to approve a policy reads which of its settings would change, and no others.
func TestAProposedPolicyNamesTheSettingsThatItChanges(t *testing.T) {
	s := fleet.NewState()
	policy := s.Policy
	policy.Buffer.Share++
	policy.TwoPeople = fleet.TwoPeople{Policy: true}
	if told := says(s, SetPolicy{Policy: policy}); told != "set the policy: buffer, twoPeople" {
		t.Errorf("it says %q", told)
	}
}

// A new plan is named after the one that it replaces, with the next number that no plan has.
func TestANewPlanIsNamedAfterTheStaleOne(t *testing.T) {
	for was, want := range map[string]string{
		"autumn": "autumn-3", "autumn-2": "autumn-3", "autumn-7": "autumn-3", "autumn-late": "autumn-late-2", "autumn-": "autumn--2", "-7": "-7-2", "7": "7-2",
	} {
		s := fleet.NewState()
		s.Haircuts = append(s.Haircuts, &fleet.Haircut{Name: "autumn-2"})
		if name := nextName(s, was); name != want {
			t.Errorf("after %s comes %s, want %s", was, name, want)
		}
	}
}

// The one who runs the server is one person, and cannot name what takes two.
func TestOnePersonCannotAskForTwo(t *testing.T) {
	s := fleet.NewState()
	policy := s.Policy
	policy.TwoPeople.Policy = true
	local := Actor{Name: "operator:ops", Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "ops"}}
	if _, refusal := Step(s, Request{Command: SetPolicy{Policy: policy}, Actor: local}, 1); refusal == nil || refusal.Code != WrongState {
		t.Errorf("%v", refusal)
	}
}

// Where people sign in, the one who runs the server may be either of two people: they propose nothing and approve nothing,
// also in another's name. They may decline.
func TestTheOneWhoRunsTheServerIsNoSecondPerson(t *testing.T) {
	s := fleet.NewState()
	s.Policy.SecondPerson = true
	s.Haircuts = append(s.Haircuts, &fleet.Haircut{Name: "autumn", By: "user:amy"})
	buffer := SetBuffer{Scope: "tiger", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 300}}
	do := func(by Actor, c Command) *Refusal {
		_, refusal := Step(s, Request{Command: c, Actor: by, Reason: "the story"}, 1)
		return refusal
	}
	for _, c := range []Command{AddCluster{Name: "tiger"}, Propose{Command: buffer}} {
		if refusal := do(admin(fleet.UserPrincipal, "amy"), c); refusal != nil {
			t.Fatal(refusal)
		}
	}
	local := Actor{Name: "operator:local", User: "local", Operator: true, Unnamed: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "local"}}
	asBen := admin(fleet.UserPrincipal, "ben")
	asBen.Name, asBen.Unnamed = "operator:local for user:ben", true
	for _, by := range []Actor{local, asBen} {
		for _, c := range []Command{Propose{Command: SetBuffer{Scope: "tiger"}}, AnswerProposal{ID: 1, Approve: true}, ReviewHaircut{Name: "autumn"}} {
			if refusal := do(by, c); refusal == nil || refusal.Code != TwoPeople {
				t.Errorf("%s, %T: %v", by.Name, c, refusal)
			}
		}
	}
	if refusal := do(local, AnswerProposal{ID: 1}); refusal != nil {
		t.Errorf("declined: %v", refusal)
	}
}

// The same change is proposed once; another one may wait beside it.
func TestTheSameChangeIsProposedOnce(t *testing.T) {
	s := fleet.NewState()
	amy := admin(fleet.UserPrincipal, "amy")
	for i, c := range []struct {
		command Command
		refused Code
	}{
		{AddCluster{Name: "tiger", Mode: fleet.Shadow}, ""},
		{Propose{Command: SetBuffer{Scope: "tiger", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 300}}}, ""},
		{Propose{Command: SetBuffer{Scope: "tiger", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 300}}}, NameTaken},
		{Propose{Command: SetBuffer{Scope: "tiger", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 200}}}, ""},
		{Propose{Command: SetMode{Cluster: "tiger", Mode: fleet.Enforce}}, ""},
	} {
		_, refusal := Step(s, Request{Command: c.command, Actor: amy, Reason: "the story"}, 1)
		if refusal == nil && c.refused != "" || refusal != nil && refusal.Code != c.refused {
			t.Errorf("step %d, %T: %v", i, c.command, refusal)
		}
	}
	if len(s.Proposals) != 3 {
		t.Errorf("%d proposals wait", len(s.Proposals))
	}
}

// A proposal that went stale keeps none from proposing the same anew, which the refusal of the stale one asks for.
func TestAStaleProposalIsProposedAnew(t *testing.T) {
	s := fleet.NewState()
	amy, ben := admin(fleet.UserPrincipal, "amy"), admin(fleet.UserPrincipal, "ben")
	wanted, other := s.Policy, s.Policy
	wanted.SecondPerson, other.Dwell = true, 2*other.Dwell
	for i, c := range []struct {
		by      Actor
		command Command
		refused Code
	}{
		{amy, Propose{Command: SetPolicy{Policy: wanted}}, ""},
		{amy, Propose{Command: SetPolicy{Policy: wanted}}, NameTaken},
		{ben, SetPolicy{Policy: other}, ""},
		{ben, AnswerProposal{ID: 1, Approve: true}, Stale},
		{amy, Propose{Command: SetPolicy{Policy: wanted}}, ""},
		{amy, Propose{Command: SetPolicy{Policy: wanted}}, NameTaken},
		{ben, AnswerProposal{ID: 2, Approve: true}, ""},
	} {
		_, refusal := Step(s, Request{Command: c.command, Actor: c.by, Reason: "the story"}, 1)
		if refusal == nil && c.refused != "" || refusal != nil && refusal.Code != c.refused {
			t.Errorf("step %d, %T: %v", i, c.command, refusal)
		}
	}
	if s.Policy != wanted {
		t.Error("the policy is another one than that which was approved")
	}
}

// Where a change of the policy takes one person, it still takes two to have fewer things take two.
func TestFewerThingsTakeTwoPeopleOnlyByTwo(t *testing.T) {
	s := fleet.NewState()
	amy := admin(fleet.UserPrincipal, "amy")
	set := func(what fleet.TwoPeople) *Refusal {
		policy := s.Policy
		policy.TwoPeople = what
		_, refusal := Step(s, Request{Command: SetPolicy{Policy: policy}, Actor: amy, Reason: "the story"}, 1)
		return refusal
	}
	if refusal := set(fleet.TwoPeople{Waves: true}); refusal != nil {
		t.Fatal(refusal)
	}
	if refusal := set(fleet.TwoPeople{Waves: true, Enforce: true}); refusal != nil {
		t.Errorf("more things: %v", refusal)
	}
	if refusal := set(fleet.TwoPeople{Enforce: true}); refusal == nil || refusal.Code != TwoPeople {
		t.Errorf("fewer things, by one person: %v", refusal)
	}
}

// A change that cannot be made any more can still be declined. Who could not make it cannot decline it either.
func TestAProposalThatWentStaleCanBeDeclined(t *testing.T) {
	s := fleet.NewState()
	do := func(by Actor, c Command) *Refusal {
		_, refusal := Step(s, Request{Command: c, Actor: by, Reason: "the story"}, 1)
		return refusal
	}
	eve := Actor{Name: "user:eve", User: "eve", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "eve"}}
	for i, c := range []struct {
		by      Actor
		command Command
		refused Code
	}{
		{System, AddCluster{Name: "tiger", Mode: fleet.Shadow}, ""},
		{admin(fleet.UserPrincipal, "amy"), Propose{Command: SetMode{Cluster: "tiger", Mode: fleet.Enforce}}, ""},
		{eve, AnswerProposal{ID: 1}, NotOperator},
		{System, SetMode{Cluster: "tiger", Mode: fleet.Observe}, ""},
		{admin(fleet.UserPrincipal, "ben"), AnswerProposal{ID: 1, Approve: true}, WrongState},
		{admin(fleet.UserPrincipal, "ben"), AnswerProposal{ID: 1}, ""},
	} {
		refusal := do(c.by, c.command)
		if refusal == nil && c.refused != "" || refusal != nil && refusal.Code != c.refused {
			t.Errorf("step %d, %T: refused with %v, want %q", i, c.command, refusal, c.refused)
		}
	}
	if is := s.Proposal(1).State; is != fleet.ProposalDeclined {
		t.Errorf("the proposal is %s", is)
	}
}

// What a program proposes, the person who made its token could approve. So a person proposes.
func TestAProgramProposesNothing(t *testing.T) {
	s := fleet.NewState()
	ghost := admin(fleet.UserPrincipal, "ghost")
	ghost.Name = "serviceaccount:amys for user:ghost"
	for _, by := range []Actor{admin(fleet.ServicePrincipal, "amys"), admin(fleet.KubernetesPrincipal, "oak/amys@tiger"), ghost} {
		_, refusal := Step(s, Request{Command: Propose{Command: SetHealthPolicy{Policy: fleet.DefaultHealth()}}, Actor: by, Reason: "the story"}, 1)
		if refusal == nil || refusal.Code != TwoPeople {
			t.Errorf("%s proposes: %v", by.Name, refusal)
		}
	}
}

// Where mode enforce takes two people, no person adds a cluster in it alone.
func TestNobodyAddsAClusterInEnforceAlone(t *testing.T) {
	s := fleet.NewState()
	s.Policy.TwoPeople.Enforce = true
	for mode, refused := range map[fleet.Mode]bool{fleet.Enforce: true, "": true, fleet.Shadow: false} {
		_, refusal := Step(s, Request{Command: AddCluster{Name: "tiger", Mode: mode}, Actor: admin(fleet.UserPrincipal, "amy"), Reason: "the story"}, 1)
		if refused != (refusal != nil && refusal.Code == TwoPeople) {
			t.Errorf("in mode %q: %v", mode, refusal)
		}
	}
	if _, refusal := Step(s, Request{Command: AddCluster{Name: "lion"}, Actor: Reporter}, 1); refusal != nil {
		t.Errorf("Muster's own parts: %v", refusal)
	}
}

// Nor does a person who writes a blueprint: a cluster that is built by it begins in mode shadow then.
func TestABlueprintBringsNoClusterInEnforceWhereThatTakesTwo(t *testing.T) {
	for two, want := range map[bool]fleet.Mode{false: fleet.Enforce, true: fleet.Shadow} {
		s := fleet.NewState()
		s.Policy.TwoPeople.Enforce = two
		for _, c := range []Command{
			AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory, Mode: fleet.Enforce}},
			PlanCluster{Record: fleet.ClusterRecord{
				Name: "lynx", Subscription: "s1", Region: "east", GPU: "h200", SKU: "nd96", Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}},
			}},
		} {
			if _, refusal := Step(s, Request{Command: c, Actor: admin(fleet.UserPrincipal, "amy")}, 1); refusal != nil {
				t.Fatal(refusal)
			}
		}
		newTurn(s, 1).produce(s.Life("lynx"))
		if is := s.Cluster("lynx").Mode; is != want {
			t.Errorf("with two people for enforce %v a built cluster begins in mode %s, want %s", two, is, want)
		}
	}
}

// Who acts for another is still the same person: they neither answer their own request nor review their own haircut so.
func TestActingForAnotherIsNoSecondPerson(t *testing.T) {
	amy, ben := admin(fleet.UserPrincipal, "amy"), admin(fleet.UserPrincipal, "ben")
	asBen := ben
	asBen.Name = "user:amy for user:ben"
	s := fleet.NewState()
	s.Policy.SecondPerson = true
	s.Haircuts = append(s.Haircuts, &fleet.Haircut{Name: "autumn", By: amy.Name, ByUser: amy.User})
	for _, c := range []struct {
		by      Actor
		refused bool
	}{{amy, true}, {asBen, true}, {ben, false}} {
		if is := ownRequest(c.by, &fleet.QuotaRequest{By: amy.Name, User: amy.User}); is != c.refused {
			t.Errorf("%s answers amy's request: %v", c.by.Name, !is)
		}
		_, refusal := Step(s, Request{Command: ReviewHaircut{Name: "autumn"}, Actor: c.by, Reason: "the story"}, 1)
		if c.refused != (refusal != nil && refusal.Code == AccessDenied) {
			t.Errorf("%s reviews amy's haircut: %v", c.by.Name, refusal)
		}
	}
}

// To show all work to everybody, and to let one person do what takes two, takes a reason, as a role does. Back takes none.
func TestAPolicyThatLetsMoreBeDoneNeedsAReason(t *testing.T) {
	strict := fleet.DefaultPolicy()
	strict.SecondPerson, strict.TwoPeople = true, fleet.TwoPeople{Waves: true}
	open, own, fewer, longer := strict, strict, strict, strict
	open.OpenReading, own.SecondPerson, fewer.TwoPeople, longer.Dwell = true, false, fleet.TwoPeople{}, 2*strict.Dwell
	for _, c := range []struct {
		what     string
		is, want fleet.Policy
		needs    bool
	}{
		{"reading is opened", strict, open, true},
		{"people review their own haircuts", strict, own, true},
		{"fewer things take two people", strict, fewer, true},
		{"a longer dwell", strict, longer, false},
		{"reading is closed", open, strict, false},
		{"more things take two people", fewer, strict, false},
	} {
		for _, reason := range []string{"", "we are one team"} {
			s := fleet.NewState()
			s.Policy = c.is
			r := Request{Command: SetPolicy{Policy: c.want}, Actor: admin(fleet.UserPrincipal, "amy"), Reason: reason, second: true}
			_, refusal := Step(s, r, 1)
			if needs := c.needs && reason == ""; needs != (refusal != nil && refusal.Code == ReasonNeeded) || !needs && refusal != nil {
				t.Errorf("%s, with the reason %q: %v", c.what, reason, refusal)
			}
			r.Trial, r.Reason = true, ""
			if _, refusal := Step(s, r, 1); refusal != nil {
				t.Errorf("%s, tried: %v", c.what, refusal)
			}
		}
	}
}

// What is refused without a reason is tried without one, and the trial says that it would be refused.
func TestWhatNeedsAReasonIsTriedWithoutOne(t *testing.T) {
	s := fleet.NewState()
	for _, c := range []Command{
		AddCluster{Name: "tiger"}, AddPartition{Cluster: "tiger", GPU: "h200", GPUsPerNode: 8}, AddIslands{Partition: "tiger/h200", Islands: []NewIsland{{Name: "a", Nodes: 2}}}, CreateQuota{Path: "oak"},
	} {
		if _, refusal := Step(s, Request{Command: c, Actor: System}, 1); refusal != nil {
			t.Fatal(refusal)
		}
	}
	h := &s.Partition("tiger/h200").Health
	h.Tripped, h.TrippedNodes, h.Bursts = 1, 2, []*fleet.Burst{{Signature: "XID 79", Since: 1, Nodes: 2}}
	for _, c := range []Command{
		GrantRole{Subject: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ben"}, Role: fleet.Viewer},
		BreakGlass{},
		SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 160, Overcommit: true},
		ResetBreaker{Partition: "tiger/h200"},
		JudgeBurst{Partition: "tiger/h200", Signature: "XID 79", Real: true},
	} {
		r := Request{Command: c, Actor: admin(fleet.UserPrincipal, "amy")}
		if _, refusal := Step(s.Clone(), r, 2); refusal == nil || refusal.Code != ReasonNeeded {
			t.Errorf("%T without a reason: %v", c, refusal)
		}
		r.Trial = true
		if out, refusal := Step(s.Clone(), r, 2); refusal != nil || len(out.Record.Events) == 0 || len(out.Lets) != 1 || out.Lets[0].Code != ReasonNeeded {
			t.Errorf("%T, tried without a reason: %v; it does %v, and would be refused with %v", c, refusal, out.Record.Events, out.Lets)
		}
		r.Trial, r.Reason = false, "we saw why"
		if _, refusal := Step(s.Clone(), r, 2); refusal != nil {
			t.Errorf("%T with a reason: %v", c, refusal)
		}
	}
}
