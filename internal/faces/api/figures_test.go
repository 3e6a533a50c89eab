package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const merlinToken, eveToken = "merlin-token-0123456789abcdef", "eve-token-0123456789abcdef"

// aviary is a house where merlin's work, falcon-… of namespace kestrel, is wherever work can be. It runs, waits, is
// on flex, hangs, ends soon, stands on a node that failed and on tight ones, and is planned around. eve has work
// of her own in research/elm, and no role that reaches merlin's.
func aviary(t *testing.T) *house {
	t.Helper()
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf(`
- {token_sha256: %s, user: ops, operator: true}
- {token_sha256: %s, user: merlin, groups: [birds], namespaces: [kestrel]}
- {token_sha256: %s, user: eve, groups: [trees], namespaces: [elm]}
`, sumOf(opsToken), sumOf(merlinToken), sumOf(eveToken))))
	must(t, err)
	h := open(t, func(o *api.Options) { o.Auth = tokens })
	h.Client = h.as(opsToken, "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	_, err = h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Write: &musterv1.Write{Reason: "a second team"}, Changes: []*musterv1.Change{
		{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: "research/elm"}}},
		{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{Quota: "research/elm", Partition: "tiger/h200", Gpus: 16}}},
		{Change: &musterv1.Change_SetAccess{SetAccess: &musterv1.SetAccessRequest{Path: "research/oak", Access: &musterv1.Access{Groups: []string{"birds", "trees"}}}}},
		{Change: &musterv1.Change_SetAccess{SetAccess: &musterv1.SetAccessRequest{Path: "research/elm", Access: &musterv1.Access{Groups: []string{"trees"}}}}},
	}})
	must(t, err)
	merlin, eve := h.as(merlinToken, ""), h.as(eveToken, "")
	work := func(name, target string, nodes int32, ends time.Duration) *musterv1.SubmitRequest {
		sp := gang(name, target, nodes)
		sp.Namespace = "kestrel"
		if ends > 0 {
			sp.MaxRuntime = durationpb.New(ends)
		}
		return &musterv1.SubmitRequest{Spec: sp}
	}
	for _, m := range []*musterv1.SubmitRequest{
		work("falcon-runs", "research/oak", 2, 8*time.Hour), work("falcon-hangs", "research/oak", 1, 0), work("falcon-waits", "research/oak", 4, 0),
		work("falcon-lent", "flex", 2, 6*time.Hour), work("falcon-queues", "flex", 12, 0),
	} {
		_, err := merlin.Workloads.Submit(t.Context(), m)
		must(t, err)
	}
	own := work("ash", "research/elm", 1, 0)
	own.Spec.Namespace = "elm"
	_, err = eve.Workloads.Submit(t.Context(), own)
	must(t, err)
	still := 0.0
	for range 2 {
		_, err = h.Health.MeasureUsage(t.Context(), &musterv1.MeasureUsageRequest{Of: []*musterv1.Usage{{Namespace: "kestrel", Name: "falcon-hangs", Sm: 1, Tensor: &still, Network: &still}}})
		must(t, err)
		h.later(time.Hour)
	}
	h.heavy(t)
	h.troubles(t)
	return h
}

// heavy has merlin's heavy pods stand on a node that takes no more of them, beside another's pod.
func (h *house) heavy(t *testing.T) {
	t.Helper()
	const asks = "cpu 90"
	for name, gpus := range map[string]int{"falcon-heavy": 4, "falcon-asks": 2} {
		_, err := h.engine.Do(t.Context(), core.Request{Actor: core.Reporter, Command: core.Submit{Spec: fleet.Spec{
			Name: name, Namespace: "kestrel", User: "merlin", Target: "flex", Priority: fleet.Mid, Grace: fleet.DefaultGrace,
			Pools: []fleet.Pool{{Name: "main", GPUs: gpus, Min: 1, Max: 1, Reach: fleet.ReachIsland, Footprint: asks}},
		}}})
		must(t, err)
	}
	var list []event.TightNode
	h.engine.Look(func(s *fleet.State) {
		for _, n := range s.Partition("tiger/h200").Nodes {
			list = append(list, event.TightNode{Node: n.Name, Takings: fleet.Takings{Takes: 0, Empty: 2, Full: true}, Why: "4 of 96 cores are free", By: []string{"kestrel/falcon-cache"}})
		}
	})
	_, err := h.engine.Do(t.Context(), core.Request{Actor: core.Reporter, Command: core.ReportFit{Partition: "tiger/h200", Footprint: asks, Tight: list}})
	must(t, err)
}

// troubles has a node fail under merlin's work, an incident name it, and maintenance come for all nodes.
func (h *house) troubles(t *testing.T) {
	t.Helper()
	w, err := h.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: "falcon-runs"})
	must(t, err)
	node := w.GetWorkload().GetNodes()[0]
	_, err = h.Fleet.OpenIncident(t.Context(), &musterv1.OpenIncidentRequest{Name: "sev-1", Severity: "sev2", Nodes: []string{node}})
	must(t, err)
	_, err = h.Fleet.SetNodes(t.Context(), &musterv1.SetNodesRequest{Names: []string{node}, State: "quarantined", Signal: "XID 79"})
	must(t, err)
	_, err = h.as(merlinToken, "").Maintenance.AddZone(t.Context(), &musterv1.AddZoneRequest{Zone: &musterv1.Zone{
		Name: "launch", Workload: "kestrel/falcon-lent", From: timestamppb.New(noon), To: timestamppb.New(noon.Add(48 * time.Hour)),
		Blocks: []string{"restart"}, Reason: "the falcon flies", Owner: "merlin", Link: "https://example.org/plan",
	}})
	must(t, err)
	_, err = h.Maintenance.AddNotice(t.Context(), &musterv1.AddNoticeRequest{Notice: &musterv1.Notice{
		Name: "power", Nodes: w.GetWorkload().GetNodes(), Starts: timestamppb.New(noon.Add(20 * time.Hour)), Lasts: durationpb.New(time.Hour), Impact: "restart",
	}})
	must(t, err)
}

// questions are requests of a procedure that fill in what it can be asked about: one thing alone, and all together.
func questions(p protoreflect.MethodDescriptor, nodes []string) (list []proto.Message) {
	if p.Name() == "Fit" {
		return shapes()
	}
	values := map[protoreflect.Name][]string{
		"scope": {"", "tiger", "tiger/h200"}, "cluster": {"", "tiger"}, "partition": {"tiger/h200"}, "quota": {"", "research/oak"}, "path": {"research/oak"}, "target": {"research/oak", "flex"}, "node": nodes, "namespace": {"", "elm"},
	}
	for i := range p.Input().Fields().Len() {
		for _, value := range values[p.Input().Fields().Get(i).Name()] {
			m := dynamicpb.NewMessage(p.Input())
			m.Set(p.Input().Fields().Get(i), protoreflect.ValueOfString(value))
			list = append(list, m)
		}
	}
	for round := range len(nodes) {
		for _, flags := range []bool{false, true} {
			m := dynamicpb.NewMessage(p.Input())
			for i := range p.Input().Fields().Len() {
				f := p.Input().Fields().Get(i)
				switch of := values[f.Name()]; {
				case f.Kind() == protoreflect.BoolKind && !f.IsList():
					m.Set(f, protoreflect.ValueOfBool(flags))
				case f.Name() == "names" && f.IsList() && flags:
					m.Mutable(f).List().Append(protoreflect.ValueOfString(nodes[round%len(nodes)]))
				case f.Kind() == protoreflect.StringKind && !f.IsList() && len(of) > 0:
					m.Set(f, protoreflect.ValueOfString(of[round%len(of)]))
				}
			}
			list = append(list, m)
		}
	}
	return list
}

// shapes are what fit may be asked: gangs that start by evicting others, that wait for them, and that are larger than all there is.
func shapes() (list []proto.Message) {
	for _, target := range []string{"research/oak", "flex", ""} {
		for _, nodes := range []int32{1, 3, 4, 8} {
			sp := gang("fit", target, nodes)
			list = append(list, &musterv1.FitRequest{Spec: &musterv1.FitSpec{
				Namespace: "elm", Target: target, Priority: "high", Pools: sp.GetPools(), MaxRuntime: durationpb.New(time.Hour),
			}})
		}
	}
	return list
}

// What is in the way of one's own is told without the names of others' work, by when and by dry runs too. merlin, who
// waits for the same, is told the names.
func TestWhatIsInTheWayIsNotNamedToOthers(t *testing.T) {
	h := aviary(t)
	ask := func(path, token string, m proto.Message) string {
		body, err := protojson.Marshal(m)
		must(t, err)
		return h.ask("/muster.v1.WorkloadService/"+path, token, body)
	}
	for _, c := range []struct{ token, namespace string }{{eveToken, "elm"}, {merlinToken, "kestrel"}} {
		told := map[string]bool{}
		says := func(what, answer string) {
			for _, name := range []string{"falcon", "kestrel/", "merlin"} {
				if found := strings.Contains(answer, name); found && c.token == eveToken {
					t.Errorf("%s tells eve of %s: …%s…", what, name, around(answer, name))
				} else if found && name == "falcon" {
					told[what] = true
				}
			}
		}
		for i, nodes := range []int32{1, 3, 4, 8, 14} {
			for _, target := range []string{"research/oak", "flex"} {
				sp := gang(fmt.Sprintf("asks-%d-%s", i, strings.TrimPrefix(target, "research/")), target, nodes)
				sp.Namespace, sp.MaxRuntime = c.namespace, durationpb.New(time.Hour)
				m := &musterv1.SubmitRequest{Write: &musterv1.Write{DryRun: true}, Spec: sp}
				says("a dry run", ask("Submit", c.token, m))
				m.Write = nil
				_, err := h.as(c.token, "").Workloads.Submit(t.Context(), m)
				must(t, err)
				says("when", ask("When", c.token, &musterv1.WhenRequest{Namespace: c.namespace, Name: sp.GetName(), Patient: true}))
			}
		}
		if c.token == merlinToken && (!told["a dry run"] || !told["when"]) {
			t.Errorf("merlin is named the work in the way by %v alone", told)
		}
	}
}

// Who may read figures alone is told no name of others' work, whatever is asked, now or of the past: not of
// the work, not of its namespace, not of its user. To those who may read the work it is named.
func TestFiguresNameNoWorkOfOthers(t *testing.T) {
	h := aviary(t)
	var nodes []string
	h.engine.Look(func(s *fleet.State) {
		for _, n := range s.Partition("tiger/h200").Nodes {
			nodes = append(nodes, n.Name)
		}
	})
	named := map[string]bool{}
	for _, p := range procedures() {
		path := "/" + string(p.Parent().FullName()) + "/" + string(p.Name())
		if api.Actions()[path] != access.ReadFigures {
			continue
		}
		for _, m := range questions(p, nodes) {
			body, err := protojson.Marshal(m)
			must(t, err)
			for _, name := range []string{"falcon", "kestrel", "merlin"} {
				if answer := h.ask(path, eveToken, body); strings.Contains(answer, name) {
					t.Errorf("%s tells eve of %s: asked %s, answered …%s…", path, name, body, around(answer, name))
				}
				if strings.Contains(h.ask(path, merlinToken, body), name) {
					named[path] = true
				}
			}
		}
	}
	for _, path := range []string{"CapacityService/Nodes", "CapacityService/Usable", "CapacityService/Flex", "HealthService/Health", "ComingService/Coming", "MaintenanceService/PlannedWork", "WorkloadService/Fit"} {
		if !named["/muster.v1."+path] {
			t.Errorf("%s names merlin's work to nobody: the test would not see that it is told", path)
		}
	}
}

// Work that may not be read is refused in the same words as work that is not there, whatever is asked of it or
// done to it: else its name could be guessed. Its user is not named.
func TestHiddenWorkIsRefusedLikeNone(t *testing.T) {
	h := aviary(t)
	eve := h.as(eveToken, "")
	for what, try := range map[string]func(name string) error{
		"read": func(name string) error {
			_, err := eve.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: name})
			return err
		},
		"why": func(name string) error {
			_, err := eve.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "kestrel", Name: name})
			return err
		},
		"cancel": func(name string) error {
			_, err := eve.Workloads.Cancel(t.Context(), &musterv1.CancelRequest{Namespace: "kestrel", Name: name})
			return err
		},
		"order": func(name string) error {
			_, err := eve.Workloads.SetPriority(t.Context(), &musterv1.SetPriorityRequest{Namespace: "kestrel", Name: name, Priority: "low"})
			return err
		},
		"zone": func(name string) error {
			_, err := eve.Maintenance.AddZone(t.Context(), &musterv1.AddZoneRequest{Zone: &musterv1.Zone{
				Name: "mine", Workload: "kestrel/" + name, From: timestamppb.New(noon), To: timestamppb.New(noon.Add(48 * time.Hour)), Blocks: []string{"restart"}, Reason: "x", Owner: "eve", Link: "https://example.org",
			}})
			return err
		},
		"planned work": func(name string) error {
			_, err := eve.Maintenance.PlannedWork(t.Context(), &musterv1.PlannedWorkRequest{Workload: "kestrel/" + name})
			return err
		},
	} {
		hidden, none := try("falcon-runs"), try("falcon-none")
		equal(t, what+": refused", client.Refused(hidden, client.AccessDenied) && client.Refused(none, client.AccessDenied), true)
		equal(t, what, strings.ReplaceAll(fmt.Sprint(hidden), "falcon-runs", "falcon-none"), fmt.Sprint(none))
		equal(t, what+": whose it is", strings.Contains(fmt.Sprint(hidden), "merlin"), false)
	}
}

// What the policy let everybody read in the past is not read by asking about the past.
func TestReadingThatWasClosedIsClosedForThePastToo(t *testing.T) {
	h := aviary(t)
	eve := h.as(eveToken, "")
	read := func(at *timestamppb.Timestamp) error {
		_, err := eve.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: "falcon-hangs", AsOf: at})
		return err
	}
	for _, open := range []bool{true, false} {
		_, err := h.Fleet.SetPolicy(t.Context(), &musterv1.SetPolicyRequest{Write: &musterv1.Write{Reason: "who may read"}, Policy: &musterv1.Policy{OpenReading: &open}})
		must(t, err)
		h.later(time.Minute)
		equal(t, fmt.Sprintf("reading is open: %v; now", open), read(nil) == nil, open)
		equal(t, fmt.Sprintf("reading is open: %v; a moment ago", open), read(timestamppb.New(noon.Add(2*time.Hour+time.Second))) == nil, open)
	}
}

// The log tells of hidden work neither what happened to it nor that anything did: not by its events, and not by how many
// others there are.
func TestTheLogTellsNothingOfHiddenWork(t *testing.T) {
	h := aviary(t)
	eve := h.as(eveToken, "")
	list := func(m *musterv1.ListEventsRequest) *musterv1.ListEventsResponse {
		answer, err := eve.Events.ListEvents(t.Context(), m)
		must(t, err)
		return answer
	}
	all := list(&musterv1.ListEventsRequest{Limit: 1000}).String()
	for _, name := range []string{"falcon", "kestrel", `\"workload\":2`} {
		if strings.Contains(all, name) {
			t.Errorf("the log tells eve of %s: …%s…", name, around(all, name))
		}
	}
	for what, m := range map[string][2]*musterv1.ListEventsRequest{
		"the last about it":     {{About: "kestrel/falcon-runs", Limit: 1}, {About: "kestrel/falcon-none", Limit: 1}},
		"the first about it":    {{About: "kestrel/falcon-runs", Limit: 1, From: 1}, {About: "kestrel/falcon-none", Limit: 1, From: 1}},
		"what merlin submitted": {{Who: "user:m", Limit: 1, Kinds: []string{"workload.submitted"}}, {Who: "user:n", Limit: 1, Kinds: []string{"workload.submitted"}}},
		"what merlin did first": {{Who: "user:m", Limit: 1, From: 1, Kinds: []string{"workload.submitted"}}, {Who: "user:n", Limit: 1, From: 1, Kinds: []string{"workload.submitted"}}},
	} {
		hidden, none := list(m[0]), list(m[1])
		if hidden.GetEarlier() != none.GetEarlier() || hidden.GetNext() != none.GetNext() || len(hidden.GetRecords()) > 0 {
			t.Errorf("%s: earlier %v, next %d, and of none earlier %v, next %d", what, hidden.GetEarlier(), hidden.GetNext(), none.GetEarlier(), none.GetNext())
		}
	}
	if next := list(&musterv1.ListEventsRequest{From: 1, Limit: 1, Kinds: []string{"workload.submitted"}}).GetNext(); next != 0 {
		t.Errorf("after eve's own submission another one follows, %d", next)
	}
}

// A name that is refused to a caller stands for nothing: by submitting it, who may not read there learns nothing, and takes
// no other's reason away.
func TestSubmittingAForeignNameTellsNothing(t *testing.T) {
	h := aviary(t)
	eve, merlin := h.as(eveToken, ""), h.as(merlinToken, "")
	wrong := in("kestrel", "wrong", "mid")
	wrong.Spec.Target = "research/nonesuch"
	_, err := merlin.Workloads.Submit(t.Context(), wrong)
	equal(t, "merlin's own is refused", client.Refused(err, client.NoSuchQuota), true)
	said := map[string]string{}
	for _, name := range []string{"falcon-runs", "wrong", "none"} {
		_, err := eve.Workloads.Submit(t.Context(), in("kestrel", name, "mid"))
		equal(t, name+": refused", client.Refused(err, client.AccessDenied), true)
		_, err = eve.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: name})
		said[strings.ReplaceAll(fmt.Sprint(err), name, "NAME")] = name
	}
	equal(t, "ways in which it is told", len(said), 1)
	_, err = merlin.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "kestrel", Name: "wrong"})
	equal(t, "merlin's reason", client.Refused(err, client.NoSuchQuota), true)
}

// A dry run says how much work of others it would take room from, and names none that its caller may not read.
func TestADryRunNamesNoHiddenWork(t *testing.T) {
	h := aviary(t)
	sp := gang("large", "research/oak", 4)
	sp.Namespace, sp.Priority = "elm", "high"
	res, err := h.as(eveToken, "").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{DryRun: true}, Spec: sp})
	must(t, err)
	for _, note := range res.GetWritten().GetNotes() {
		if strings.Contains(note, "has to leave") || strings.Contains(note, "have to leave") {
			if strings.Contains(note, "falcon") || strings.Contains(note, "merlin") {
				t.Errorf("eve is told: %s", note)
			}
		}
	}
}

func (h *house) ask(path, token string, body []byte) string {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url+path, bytes.NewReader(body))
	must(h.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	must(h.t, err)
	return string(answer)
}

// around is a text of a few words on both sides of what it contains.
func around(text, part string) string {
	i := strings.Index(text, part)
	return text[max(0, i-100):min(len(text), i+100)]
}
