package wire_test

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// policy is one that differs from the default in every field.
func policy() fleet.Policy {
	p := fleet.DefaultPolicy()
	p.Buffer = fleet.DefaultBuffer(fleet.Calibrated)
	p.Dwell, p.Probation, p.StaleAfter = 2*time.Hour, 3*time.Hour, 4*time.Minute
	p.FlexMinimum, p.MaxGrace, p.SecondPerson = 5*time.Minute, 6*time.Minute, !p.SecondPerson
	p.TwoPeople = fleet.TwoPeople{Policy: true, Waves: true}
	p.OpenReading = !p.OpenReading
	p.Targets = fleet.Targets{Availability: 931, Uptime: 871, MTTR: 7 * time.Hour}
	p.Idle = fleet.Idle{Threshold: 71, Window: 8 * time.Hour}
	p.Maintenance = fleet.MaintenancePolicy{Horizon: 5 * time.Hour, Lead: 6 * time.Hour, Validation: time.Minute, KeepRoom: 2 * time.Hour, ZoneDays: 14}
	return p
}

// A client tells the buffer policy that the server has, also of a kind that it does not know.
func TestABufferPolicyIsToldAsItIs(t *testing.T) {
	for _, kind := range fleet.BufferKinds() {
		want := fleet.DefaultBuffer(kind)
		if got := wire.BufferTold(wire.Buffer(want)); got != want {
			t.Errorf("%s is told as %s", want.InFull(), got.InFull())
		}
	}
	newer := &musterv1.Buffer{Kind: "newer", Confidence: proto.Float64(0.95), Floor: proto.Float64(0), Ceiling: proto.Float64(0.5)}
	if got, want := wire.BufferTold(newer).InFull(), "newer 95 % (floor 0 %, ceiling 50 %)"; got != want {
		t.Errorf("it is told as %q, want %q", got, want)
	}
}

// What a fleet file leads to says the same after it went through the API.
func TestChangesComeBackAsTheCommandsTheyWere(t *testing.T) {
	health := fleet.DefaultHealth()
	health.Shadow, health.Budget = !health.Shadow, 123
	commands := []core.Command{
		core.SetPolicy{Policy: policy()},
		core.SetHealthPolicy{Policy: health},
		core.AddCluster{Name: "tiger", Mode: fleet.Shadow},
		core.SetTargets{Cluster: "tiger", Targets: fleet.Targets{Availability: 900, Uptime: 800, MTTR: time.Hour}},
		core.SetBuffer{Scope: "tiger/h200", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 200}},
		core.AddPartition{Cluster: "tiger", GPU: "h200", GPUsPerNode: 4},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 3, Racks: 2}, {Name: "b", Names: []string{"n1", "n2"}}}},
		core.CreateQuota{Path: "research/oak", Owner: "ada", Access: fleet.Access{Users: []string{"bo"}, Groups: []string{"g"}, Namespaces: []string{"n"}}},
		core.SetOwner{Path: "research/oak", Owner: "cy"},
		core.SetAccess{Path: "research/oak", Access: fleet.Access{Groups: []string{"h"}}},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 64, Gang: 32, Overcommit: true},
	}
	changes := make([]*musterv1.Change, len(commands))
	for i, c := range commands {
		var err error
		if changes[i], err = wire.Change(c); err != nil {
			t.Fatal(err)
		}
		data, _ := proto.Marshal(changes[i])
		changes[i] = &musterv1.Change{}
		if err := proto.Unmarshal(data, changes[i]); err != nil {
			t.Fatal(err)
		}
	}
	b := wire.Batch{Policy: fleet.DefaultPolicy(), Health: fleet.DefaultHealth()}
	back, err := b.Commands(changes)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range commands {
		if !reflect.DeepEqual(back.Commands[i], c) {
			t.Errorf("%T came back as\n%+v\nnot\n%+v", c, back.Commands[i], c)
		}
	}
}

// A fleet that is told as a message and read again says the same as before.
func TestAFleetReadFromItsMessageSaysTheSame(t *testing.T) {
	s := fleet.NewState()
	s.Policy = policy()
	s.AddCluster(fleet.Cluster{Name: "tiger", Mode: fleet.Observe, Targets: fleet.Targets{Availability: 900, Uptime: 800, MTTR: time.Hour}})
	s.AddPartition("tiger", "h200", 8)
	p := s.Partition("tiger/h200")
	p.AddIsland("a", 2)
	p.AddNode("n1", 0, 0, 0)
	p.AddNode("n2", 0, 0, 0)
	s.AddQuota(fleet.Quota{Path: "oak", Owner: "ada", Access: fleet.Access{Users: []string{"bo"}, Groups: []string{"g"}, Namespaces: []string{"n"}}})
	p.SetGrant("oak", 16, 8, true)

	list := wire.Quotas(s, view.EveryQuota(s, 0), "", false, func(string) bool { return true })
	again, err := wire.ReadState(wire.Fleet(s), list)
	if err != nil {
		t.Fatal(err)
	}
	if again.Policy != s.Policy {
		t.Errorf("the policy is\n%+v\nnot\n%+v", again.Policy, s.Policy)
	}
	if a, b := wire.Fleet(again), wire.Fleet(s); !proto.Equal(a, b) {
		t.Errorf("the fleet is\n%v\nnot\n%v", a, b)
	}
	got := wire.Quotas(again, view.EveryQuota(again, 0), "", false, func(string) bool { return true })
	if len(got) != 1 || got[0].GetOwner() != "ada" || got[0].GetGrants()[0].GetAssigned() != 16 || got[0].GetGrants()[0].GetGang() != 8 {
		t.Errorf("the quotas are %v, not %v", got, list)
	}
}

func TestWhatNoServerSendsIsAMistakeWithItsField(t *testing.T) {
	f := &musterv1.GetFleetResponse{Policy: &musterv1.Policy{Idle: &musterv1.Idle{Threshold: 0.00005}}}
	if _, err := wire.ReadState(f, nil); err == nil {
		t.Error("a threshold of a twentieth of a thousandth was taken")
	}
	if _, err := wire.Change(core.Tick{}); err == nil {
		t.Error("a tick became a change")
	}
}

// The most severe incident is the first, and each says why it was opened, who works on it and where.
func TestIncidentsComeBySeverity(t *testing.T) {
	s := fleet.NewState()
	s.Incidents = []*fleet.Incident{
		{Name: "unsaid", Opened: 1},
		{Name: "over", Severity: "sev0", Opened: 2, Closed: 3},
		{Name: "mild", Severity: "sev3", Opened: 4},
		{Name: "bad", Severity: "sev1", Opened: 5, Reason: "InfiniBand flaps", Owner: "ada", Link: "https://example.com"},
		{Name: "bad too", Severity: "sev1", Opened: 6},
	}
	var names []string
	list := wire.Incidents(s, true)
	for _, i := range list {
		names = append(names, i.GetName())
	}
	if want := []string{"bad", "bad too", "mild", "unsaid", "over"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the incidents come as %v, want %v", names, want)
	}
	if i := list[0]; i.GetReason() != "InfiniBand flaps" || i.GetOwner() != "ada" || i.GetLink() == "" {
		t.Errorf("the first is %v", i)
	}
}

func TestAQuotaWithoutAnAccessListSaysSo(t *testing.T) {
	s := fleet.NewState()
	s.AddQuota(fleet.Quota{Path: "open"})
	s.AddQuota(fleet.Quota{Path: "shut", Access: fleet.Access{Groups: []string{"g"}}})
	for _, q := range wire.Quotas(s, view.EveryQuota(s, 0), "", false, func(string) bool { return true }) {
		if q.GetOpen() != (q.GetPath() == "open") {
			t.Errorf("quota %s says open: %v", q.GetPath(), q.GetOpen())
		}
	}
}

// The quota that is told and read again has each field, so that none is lost on the way unseen.
func TestEveryFieldOfAQuotaIsTold(t *testing.T) {
	s := fleet.NewState()
	s.AddQuota(fleet.Quota{Path: "oak", Owner: "ada", Access: fleet.Access{Users: []string{"bo"}, Groups: []string{"g"}, Namespaces: []string{"n"}}})
	is := reflect.ValueOf(*s.Quota("oak"))
	for i := range is.NumField() {
		if is.Field(i).IsZero() {
			t.Errorf("Quota.%s is empty: give it a value here", is.Type().Field(i).Name)
		}
	}
	again, err := wire.ReadState(wire.Fleet(s), wire.Quotas(s, view.EveryQuota(s, 0), "", false, func(string) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Quota("oak"); got == nil || !reflect.DeepEqual(*got, *s.Quota("oak")) {
		t.Errorf("told and read again it is %+v, and was %+v", got, is)
	}
}

// The policy of these tests differs from the default in every field, so that none is lost on the way unseen.
func TestThePolicyOfTheseTestsDiffersInEveryField(t *testing.T) {
	is, not := reflect.ValueOf(policy()), reflect.ValueOf(fleet.DefaultPolicy())
	for i := range is.NumField() {
		if reflect.DeepEqual(is.Field(i).Interface(), not.Field(i).Interface()) {
			t.Errorf("Policy.%s is the default's", is.Type().Field(i).Name)
		}
	}
}
