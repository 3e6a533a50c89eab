package core_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// built is a fleet with a cluster lynx whose scale sets stand.
func built(t *testing.T) (*fleet.State, fleet.Instant) {
	t.Helper()
	s, now := fleet.NewState(), moment(time.Hour)
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory}})
	do(core.PlanCluster{Record: recordOf("lynx", 4)})
	do(core.ReportCounts{Subscription: "s1", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: 10_000}}})
	for _, step := range []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets} {
		op := s.Life("lynx").Step(step).Operation
		do(core.ReportOperation{Cluster: "lynx", Step: step, ID: op.ID, State: fleet.OperationSucceeded})
	}
	return s, now
}

func recordOf(name string, nodes int) fleet.ClusterRecord {
	return fleet.ClusterRecord{
		Name: name, Subscription: "s1", Region: "east", GPU: "h200", SKU: "nd96", Priority: fleet.Mid, Blueprint: "nd",
		Islands: []fleet.RecordIsland{{Name: "a", Nodes: nodes}},
	}
}

// recordWith is a record in which something is wrong.
func recordWith(name string, edit func(*fleet.ClusterRecord)) fleet.ClusterRecord {
	r := recordOf(name, 4)
	edit(&r)
	return r
}

func blueprintWith(edit func(*fleet.Blueprint)) core.AddBlueprint {
	b := fleet.Blueprint{Name: "ne", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory}
	edit(&b)
	return core.AddBlueprint{Blueprint: b}
}

// Bad input about clusters that are built is refused with its place and a remedy, and
// nothing of it is applied.
func TestBadInputAboutBuildingIsRefusedWhole(t *testing.T) {
	s, now := built(t)
	before, _ := s.Encode()
	for _, c := range []struct {
		name    string
		command core.Command
		code    core.Code
		says    string
	}{
		{"a blueprint without a meter", blueprintWith(func(b *fleet.Blueprint) { b.Meters = nil }), core.Invalid, "has 0 meters"},
		{"a node that takes no cores", blueprintWith(func(b *fleet.Blueprint) { b.Meters[0].PerNode = 0 }), core.Invalid, "takes 0 cores of meter nd"},
		{"a meter named twice", blueprintWith(func(b *fleet.Blueprint) { b.Meters = append(b.Meters, b.Meters[0]) }), core.Invalid, "names meter nd twice"},
		{"a step that there is not", blueprintWith(func(b *fleet.Blueprint) { b.Takes = map[fleet.Step]time.Duration{"paint": time.Hour} }), core.Invalid, `step "paint"`},
		{"a project that comes again", blueprintWith(func(b *fleet.Blueprint) { b.Projects = []string{"net", "nodes", "net"} }), core.Invalid, `names project "net" twice`},
		{"a name that leads to another branch", core.PlanCluster{Record: recordOf("*", 4)}, core.Invalid, "lower-case letters"},
		{"a name that is a way out", core.PlanCluster{Record: recordOf("..", 4)}, core.Invalid, "lower-case letters"},
		{"a name that git takes for an option", core.PlanCluster{Record: recordOf("--upload-pack=id", 4)}, core.Invalid, "lower-case letters"},
		{"a name with two dots", core.PlanCluster{Record: recordOf("a..b", 4)}, core.Invalid, "lower-case letters"},
		{"a variable in place of the record", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Variables = map[string]string{"Subscription": "s2"} })}, core.Invalid, "the record itself"},
		{"a variable whose name is none", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Variables = map[string]string{"x=1 PATH": "s2"} })}, core.Invalid, "no name of a variable"},
		{"a project outside the place", blueprintWith(func(b *fleet.Blueprint) { b.Projects = []string{"network", "base/../../etc"} }), core.Invalid, "write it as network or base/network"},
		{"a runner without projects", blueprintWith(func(b *fleet.Blueprint) { b.Runner = "tofu" }), core.Invalid, "name their folders"},
		{"a pipeline without its organisation", blueprintWith(func(b *fleet.Blueprint) { b.Runner = "buildkite:clusters" }), core.Invalid, "write buildkite:ORG/PIPELINE"},
		{"a pipeline of no organisation", blueprintWith(func(b *fleet.Blueprint) { b.Runner = "buildkite:/clusters" }), core.Invalid, "write buildkite:ORG/PIPELINE"},
		{"another blueprint of the same version", blueprintWith(func(b *fleet.Blueprint) { b.Name, b.Parallel = "nd", true }), core.NameTaken, "add it as version 2"},
		{"two records with one name", core.PlanCluster{Record: recordOf("lynx", 4)}, core.NameTaken, "is planned already"},
		{"a blueprint that there is not", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Blueprint = "nx" })}, core.NoSuchBlueprint, "muster blueprint list"},
		{"a provider that there is not", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Provider = "moon" })}, core.Invalid, "it is one of simulated, azure, hand"},
		{"a real cluster among simulated ones", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Provider = "azure" })}, core.Invalid, "s1/east is an account of provider simulated"},
		{"no island", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Islands = nil })}, core.Invalid, "has 0 islands"},
		{"an island named twice", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Islands = append(r.Islands, r.Islands[0]) })}, core.NameTaken, `island "a" is named twice`},
		{"a secret in a record", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Variables = map[string]string{"db_password": "hunter2"} })}, core.Invalid, "write where it is (env:NAME"},
		{"a password in an address", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) {
			r.Variables = map[string]string{"repo": "https://u:hunter2@git.example.com/x"}
		})}, core.Invalid, "write where it is (env:NAME"},
		{"a private key", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) {
			r.Variables = map[string]string{"note": "-----BEGIN RSA PRIVATE KEY-----hunter2"}
		})}, core.Invalid, "write where it is (env:NAME"},
		{"a token that says whose it is", core.PlanCluster{Record: recordWith("puma", func(r *fleet.ClusterRecord) { r.Variables = map[string]string{"note": "ghp_hunter2hunter2hunter2"} })}, core.Invalid, "write where it is (env:NAME"},
		{"fewer nodes than stand", core.ChangeCluster{Record: recordOf("lynx", 2)}, core.WrongState, "once cores are reserved, a record only gets more"},
		{"another SKU where scale sets stand", core.ChangeCluster{Record: recordWith("lynx", func(r *fleet.ClusterRecord) { r.SKU = "nd128" })}, core.WrongState, "retire it, and enter another record"},
		{"a version that there is not", core.ChangeCluster{Record: recordOf("lynx", 4), Version: 7}, core.NoSuchBlueprint, "has no version 7"},
		{"a removal before its time", core.SteerCluster{Cluster: "lynx", Do: core.Confirm, Confirm: "lynx"}, core.WrongState, ""},
		{"a cluster that there is not", core.SteerCluster{Cluster: "lion", Do: core.Hold}, core.NoSuchCluster, "muster cluster list"},
		{"a check-in of what needs none", core.CheckIn{Cluster: "lynx"}, core.NothingToDo, "projects read the inventory"},
	} {
		_, refusal := core.Step(s, core.Request{Command: c.command, Actor: core.System}, now)
		if refusal == nil || refusal.Code != c.code || !strings.Contains(refusal.Message, c.says) {
			t.Errorf("%s: %+v", c.name, refusal)
		}
		if refusal != nil && strings.Contains(refusal.Message, "hunter2") {
			t.Errorf("%s: the message says the secret: %s", c.name, refusal.Message)
		}
		if after, _ := s.Encode(); !bytes.Equal(before, after) {
			t.Fatalf("%s: something was applied", c.name)
		}
	}
}

// byHand is a fleet with a cluster whose machines people bring, in an account that no cloud counts.
func byHand(t *testing.T) (s *fleet.State, do func(core.Command) *core.Refusal) {
	t.Helper()
	s = fleet.NewState()
	do = func(c core.Command) *core.Refusal {
		_, refusal := core.Step(s, core.Request{Command: c, Actor: core.Actor{Name: "ada", Operator: true}}, moment(time.Hour))
		return refusal
	}
	for _, c := range []core.Command{
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}, {Meter: "cores", PerNode: 100}}, Checkin: fleet.CheckinPerson}},
		core.PlanCluster{Record: recordWith("lynx", func(r *fleet.ClusterRecord) { r.Provider = fleet.ProviderHand })},
	} {
		if refusal := do(c); refusal != nil {
			t.Fatal(refusal)
		}
	}
	return s, do
}

func quotaOf(s *fleet.State, cluster string) *buildout.Condition {
	v := core.Look(s, s.Life(cluster), moment(time.Hour))
	return v.Find(fleet.QuotaAvailable)
}

// Where no cloud counts cores a person says that they are there. It is a touch, and more
// nodes ask again.
func TestAPersonSaysThatCoresAreThere(t *testing.T) {
	s, do := byHand(t)
	if c := quotaOf(s, "lynx"); c.Holds() || !c.Person || c.On.System != "person" || !strings.Contains(c.Message, "384 cores of nd, 400 cores of cores") {
		t.Fatalf("before it is said: %+v", c)
	}
	if refusal := do(core.SteerCluster{Cluster: "lynx", Do: core.Quota}); refusal != nil {
		t.Fatal(refusal)
	}
	l := s.Life("lynx")
	if c := quotaOf(s, "lynx"); !c.Holds() || l.Settled["nd"] != 384 || l.Settled["cores"] != 400 || len(l.Reserved) != 0 {
		t.Errorf("said: %+v, settled %v, reserved %v", c, l.Settled, l.Reserved)
	}
	if last := l.Touches[len(l.Touches)-1]; last.What != "quota" || last.By != "ada" {
		t.Errorf("the touch is %+v", last)
	}
	if refusal := do(core.SteerCluster{Cluster: "lynx", Do: core.Quota}); refusal == nil || refusal.Code != core.NothingToDo {
		t.Errorf("said twice: %v", refusal)
	}
	if refusal := do(core.ChangeCluster{Record: recordWith("lynx", func(r *fleet.ClusterRecord) { r.Provider, r.Islands[0].Nodes = fleet.ProviderHand, 6 })}); refusal != nil {
		t.Fatal(refusal)
	}
	if c := quotaOf(s, "lynx"); c.Holds() || !strings.Contains(c.Message, "192 cores of nd, 200 cores of cores") {
		t.Errorf("two nodes more: %+v", c)
	}
}

// A cloud that says that the identity has no rights waits for a person; what it counts itself
// a person does not say for it.
func TestAnAccountThatCannotBeReadWaitsForAPerson(t *testing.T) {
	s, do := byHand(t)
	report := func(class fleet.ErrorClass, text string, counts ...fleet.CloudCount) {
		t.Helper()
		if refusal := do(core.ReportCounts{Subscription: "s1", Region: "east", Counts: counts, Error: text, Class: class}); refusal != nil {
			t.Fatal(refusal)
		}
	}
	for _, c := range []struct {
		class  fleet.ErrorClass
		reason string
		person bool
	}{
		{fleet.ErrorRetry, "NotRead", false},
		{fleet.ErrorPerson, "NeedsPerson", true},
		{fleet.ErrorFix, "NeedsFix", true},
	} {
		report(c.class, "403 AuthorizationFailed")
		if is := quotaOf(s, "lynx"); is.Reason != c.reason || is.Person != c.person || !strings.Contains(is.Message, "403 AuthorizationFailed") {
			t.Errorf("%s: %+v", c.class, is)
		}
	}
	report("", "", fleet.CloudCount{Meter: "nd", Limit: 100}, fleet.CloudCount{Meter: "cores", Limit: 1000})
	if refusal := do(core.SteerCluster{Cluster: "lynx", Do: core.Quota}); refusal == nil || refusal.Code != core.WrongState || !strings.Contains(refusal.Message, "muster cloud quota") {
		t.Errorf("a count that is known is not overruled: %v", refusal)
	}
}

// A limit that would do for a cluster does for those that come before it, too.
func TestALimitThatWouldDoIsEnoughForAll(t *testing.T) {
	s, now := fleet.NewState(), moment(time.Hour)
	for _, c := range []core.Command{
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 100}}, Checkin: fleet.CheckinInventory}},
		core.PlanCluster{Record: recordOf("lynx", 4)},
		core.PlanCluster{Record: recordOf("puma", 2)},
		core.ReportCounts{Subscription: "s1", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: 350, Used: 50}}},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	for cluster, says := range map[string]string{"lynx": "100 cores of nd are missing", "puma": "kept for clusters that come first 400); a limit of 650 would do"} {
		v := core.Look(s, s.Life(cluster), now)
		if c := v.Find(fleet.QuotaAvailable); !strings.Contains(c.Message, says) {
			t.Errorf("%s: %s", cluster, c.Message)
		}
	}
}

// TestCoresThatACountShowsAreOneClustersOnly: the count rises by the cores of one of two clusters that are
// alike. The first has its cores then, and the other waits for a count that shows both.
func TestCoresThatACountShowsAreOneClustersOnly(t *testing.T) {
	s, now := fleet.NewState(), moment(time.Hour)
	do := func(c core.Command) {
		t.Helper()
		now = now.Add(time.Minute)
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	count := func(used int) {
		t.Helper()
		do(core.ReportCounts{Subscription: "s1", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Used: used, Limit: 10_000}}})
	}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory}})
	do(core.PlanCluster{Record: recordOf("lynx", 4)})
	do(core.PlanCluster{Record: recordOf("puma", 4)})
	count(0)
	for _, step := range []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets} {
		for _, cluster := range []string{"lynx", "puma"} {
			op := s.Life(cluster).Step(step).Operation
			do(core.ReportOperation{Cluster: cluster, Step: step, ID: op.ID, State: fleet.OperationSucceeded})
		}
	}
	for _, c := range []struct{ used, lynx, puma int }{{0, 384, 384}, {384, 0, 384}, {767, 0, 384}, {768, 0, 0}} {
		count(c.used)
		if lynx, puma := s.Life("lynx").ReservedOf("nd"), s.Life("puma").ReservedOf("nd"); lynx != c.lynx || puma != c.puma {
			t.Errorf("with %d cores in use %d are reserved for lynx and %d for puma, want %d and %d", c.used, lynx, puma, c.lynx, c.puma)
		}
	}
}

// A report about an operation that has ended, or about another than the one that is under way, changes nothing.
func TestALateReportOfAnOperationChangesNothing(t *testing.T) {
	s, now := built(t)
	before, _ := s.Encode()
	ended := s.Life("lynx").Step(fleet.StepScaleSets).Operation.ID
	for _, id := range []string{ended, "another"} {
		c := core.ReportOperation{Cluster: "lynx", Step: fleet.StepScaleSets, ID: id, State: fleet.OperationFailed, Error: "it broke"}
		out, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now)
		if after, _ := s.Encode(); refusal != nil || len(out.Record.Events) != 0 || !bytes.Equal(before, after) {
			t.Errorf("a late report of %q: %v, %v", id, out.Record.Events, refusal)
		}
	}
}

// lynx waits for cores, and puma of the same account does not pass it. When the record of lynx names
// another account with room, both have their cores in the same moment.
func TestAClusterThatMovesToAnotherAccountIsServedThereAtOnce(t *testing.T) {
	s := fleet.NewState()
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, moment(time.Hour)); refusal != nil {
			t.Fatal(refusal)
		}
	}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}}, Checkin: fleet.CheckinInventory}})
	do(core.PlanCluster{Record: recordOf("lynx", 4)})
	do(core.PlanCluster{Record: recordOf("puma", 2)})
	for subscription, nodes := range map[string]int{"s1": 3, "s2": 4} {
		do(core.ReportCounts{Subscription: subscription, Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: nodes * 96}}})
	}
	for _, name := range []string{"lynx", "puma"} {
		if l := s.Life(name); len(l.Reserved) > 0 {
			t.Fatalf("%s has %v; lynx waits for cores, and puma behind it", name, l.Reserved)
		}
	}
	do(core.ChangeCluster{Record: recordWith("lynx", func(r *fleet.ClusterRecord) { r.Subscription = "s2" })})
	for _, name := range []string{"lynx", "puma"} {
		if l := s.Life(name); len(l.Reserved) == 0 {
			t.Errorf("%s has no cores yet", name)
		}
	}
}
