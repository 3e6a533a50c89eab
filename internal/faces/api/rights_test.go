package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// methods are all RPCs of the API by their paths, as its descriptors have them.
func methods() map[string]protoreflect.MethodDescriptor {
	found := map[string]protoreflect.MethodDescriptor{}
	protoregistry.GlobalFiles.RangeFilesByPackage("muster.v1", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			s := f.Services().Get(i)
			for k := range s.Methods().Len() {
				m := s.Methods().Get(k)
				found[fmt.Sprintf("/%s/%s", s.FullName(), m.Name())] = m
			}
		}
		return true
	})
	return found
}

// everyRPC are the paths of all RPCs.
func everyRPC() []string { return slices.Sorted(maps.Keys(methods())) }

// A new RPC is a row in the table of rights, and a row is an RPC that there is.
func TestEveryRPCHasARow(t *testing.T) {
	actions := api.Actions()
	list := everyRPC()
	for _, p := range list {
		rule, ok := access.RuleOf(actions[p])
		if !ok || rule.Action == "" {
			t.Errorf("%s has no row in rights.go that names an action of the table", p)
		}
	}
	for p := range actions {
		if !slices.Contains(list, p) {
			t.Errorf("rights.go has a row for %s, which there is not", p)
		}
	}
	for _, p := range list { // who may not is told what it takes, and no half sentence of the table's
		if rule, _ := access.RuleOf(actions[p]); !rule.Everybody && !rule.Own && strings.Contains(api.Asked(p), ";") {
			t.Errorf("%s is refused as %q: give it words of its own in rights.go", p, api.Asked(p))
		}
	}
	if len(list) < 90 {
		t.Fatalf("only %d RPCs were found", len(list))
	}
}

// What reads is marked NO_SIDE_EFFECTS in its proto, and what changes something is not. A
// server that follows answers what is marked by itself, and sends the rest to the one that
// leads. Pages keep the answers to what is marked; a stream has no answer to keep.
func TestWhatOnlyReadsIsMarkedSo(t *testing.T) {
	for path, m := range methods() {
		action := api.Actions()[path]
		reads := strings.HasSuffix(string(action), ".read") && !m.IsStreamingServer()
		o, ok := m.Options().(*descriptorpb.MethodOptions)
		marked := ok && o.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
		switch {
		case reads && !marked:
			t.Errorf("%s is %s, which changes nothing: give it `option idempotency_level = NO_SIDE_EFFECTS` in its proto", path, action)
		case marked && !reads:
			t.Errorf("%s is %s, and is marked NO_SIDE_EFFECTS: only an action named *.read that answers once may be", path, action)
		}
	}
}

// staffed is a house with a service account for each role: in its scope (namespace oak,
// quota research, cluster tiger or the fleet), and elsewhere (birch, other, lion).
type staffed struct {
	*house
	secrets map[string]string // by account
}

func staff(t *testing.T) staffed {
	t.Helper()
	var h *house
	tokens := api.NewServiceTokens(func(fn func(*fleet.State)) { h.engine.Look(fn) }, func() time.Time { return noon })
	h = open(t, func(o *api.Options) { o.Auth = api.SignIns{tokens}; o.Tokens = tokens })
	s := staffed{h, map[string]string{}}
	do := func(c core.Command) {
		t.Helper()
		_, err := h.engine.Do(t.Context(), core.Request{Command: c, Actor: core.System, Reason: "the story"})
		must(t, err)
	}
	for _, cluster := range []string{"tiger", "lion"} {
		do(core.AddCluster{Name: cluster})
		do(core.AddPartition{Cluster: cluster, GPU: "h200"})
		do(core.AddIslands{Partition: cluster + "/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 2}}})
		do(core.OpenIncident{Name: "sev-" + cluster, Scope: cluster, Severity: "sev2"})
	}
	for _, quota := range []string{"research/oak", "research/elm", "other/oak", "other/elm"} {
		do(core.CreateQuota{Path: quota})
	}
	for _, namespace := range []string{"oak", "birch"} {
		do(core.Submit{Spec: fleet.Spec{
			Name: "train", Namespace: namespace, User: "mia", Target: fleet.Flex, Priority: fleet.Mid, Grace: fleet.DefaultGrace,
			Pools: []fleet.Pool{{Name: "trainer", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}},
		}})
	}
	account := func(name string) {
		s.secrets[name] = "muster_" + name + "_0123456789abcdefghijklmnopqrstuvwxyz"
		sum := sha256.Sum256([]byte(s.secrets[name]))
		do(core.MakeToken{ID: name, Account: name, SHA256: hex.EncodeToString(sum[:]), Until: fleet.InstantOf(noon.Add(time.Hour))})
	}
	account("none")
	for _, row := range access.Roles() {
		for kind, scopes := range scopesOf(row) {
			account(string(row.Role) + "." + kind)
			for _, scope := range scopes {
				subject := fleet.Principal{Kind: fleet.ServicePrincipal, Name: string(row.Role) + "." + kind}
				do(core.GrantRole{Subject: subject, Role: row.Role, Scope: scope})
			}
		}
	}
	return s
}

// scopesOf are the scopes that a role can be held in, by kind.
func scopesOf(row access.RoleRow) map[string][]fleet.Scope {
	all := map[string][]fleet.Scope{"namespace": {{Namespace: "oak"}}, "quota": {{Quota: "research"}}, "cluster": {{Cluster: "tiger"}}, "fleet": {{}}}
	for kind := range all {
		if !strings.Contains(row.In, kind) {
			delete(all, kind)
		}
	}
	return all
}

// denied calls an RPC as an account, and says whether it is refused for want of rights.
func (s staffed) denied(account, procedure, message string) bool {
	s.t.Helper()
	ctx, end := context.WithTimeout(s.t.Context(), time.Minute)
	defer end()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+procedure, strings.NewReader(message))
	must(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.secrets[account])
	res, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	must(s.t, err)
	if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusInternalServerError {
		s.t.Fatalf("%s as %s: %d %s", procedure, account, res.StatusCode, body)
	}
	return res.StatusCode == http.StatusForbidden
}

// roleOf is the role and the kind of scope of an account.
func roleOf(account string) (role fleet.Role, kind string) {
	name, kind, _ := strings.Cut(account, ".")
	return fleet.Role(name), kind
}

// Every RPC is called as every role in every kind of scope. It lets in whose role the table
// names for its action, and refuses everybody else.
func TestEveryRPCAsEveryRole(t *testing.T) {
	s := staff(t)
	calls := 0
	for _, procedure := range everyRPC() {
		rule, _ := access.RuleOf(api.Actions()[procedure])
		for account := range s.secrets {
			role, kind := roleOf(account)
			want := !(rule.Everybody || rule.Own || role == fleet.Admin || slices.Contains(rule.Roles, role))
			got := s.denied(account, procedure, "{}")
			if !want && kind != "fleet" && !rule.Everybody && !rule.Own {
				got = false // an empty message names nothing in the scope: TestARoleEndsWithItsScope has better ones
			}
			if got != want {
				t.Errorf("%s (%s) as %s: refused is %v, want %v", procedure, rule.Action, account, got, want)
			}
			calls++
		}
	}
	t.Logf("%d calls", calls)
}

// scoped are messages that act in the scopes of staff, and elsewhere.
var scoped = []struct{ procedure, in, out string }{
	{"WorkloadService/Submit", work("oak"), work("birch")},
	{"WorkloadService/GetWorkload", `{"namespace":"oak","name":"train"}`, `{"namespace":"birch","name":"train"}`},
	{"WorkloadService/Why", `{"namespace":"oak","name":"train"}`, `{"namespace":"birch","name":"train"}`},
	{"WorkloadService/When", `{"namespace":"oak","name":"train"}`, `{"namespace":"birch","name":"train"}`},
	{"WorkloadService/Cancel", dry(`"namespace":"oak","name":"train"`), dry(`"namespace":"birch","name":"train"`)},
	{"WorkloadService/Retarget", dry(`"namespace":"oak","name":"train","target":"flex"`), dry(`"namespace":"birch","name":"train","target":"flex"`)},
	{"WorkloadService/SetPriority", dry(`"namespace":"oak","name":"train","priority":"low"`), dry(`"namespace":"birch","name":"train","priority":"low"`)},
	{"WorkloadService/Resize", dry(`"namespace":"oak","name":"train","max":1`), dry(`"namespace":"birch","name":"train","max":1`)},
	{"QuotaService/SetAccess", dry(`"path":"research/oak","access":{"users":["ada"]}`), dry(`"path":"other/oak","access":{"users":["ada"]}`)},
	{"QuotaService/CreateQuota", dry(`"path":"research/new"`), dry(`"path":"other/new"`)},
	{"QuotaService/DeleteQuota", dry(`"path":"research/elm"`), dry(`"path":"other/elm"`)},
	{"QuotaService/SetOwner", dry(`"path":"research/elm","owner":"ada"`), dry(`"path":"other/elm","owner":"ada"`)},
	{"QuotaService/SetGrant", dry(`"quota":"research/oak","partition":"tiger/h200","gpus":8`), dry(`"quota":"other/oak","partition":"tiger/h200","gpus":8`)},
	{"QuotaService/Transfer", dry(`"from":"research/oak","to":"research/elm","partition":"tiger/h200","gpus":8`), dry(`"from":"research/oak","to":"other/elm","partition":"tiger/h200","gpus":8`)},
	{"QuotaService/PlaceHold", dry(`"quota":"research/oak","partition":"tiger/h200","gpus":8,"user":"ada","until":"2026-11-23T00:00:00Z"`), dry(`"quota":"other/oak","partition":"tiger/h200","gpus":8,"user":"ada","until":"2026-11-23T00:00:00Z"`)},
	{"FleetService/AddPartition", dry(`"cluster":"tiger","gpu":"b200"`), dry(`"cluster":"lion","gpu":"b200"`)},
	{"FleetService/AddIslands", dry(`"partition":"tiger/h200","islands":[{"name":"i2","nodes":1}]`), dry(`"partition":"lion/h200","islands":[{"name":"i2","nodes":1}]`)},
	{"BuildoutService/GetClusterLog", `{"cluster":"tiger"}`, `{"cluster":"lion"}`},
	{"HaircutService/SetClusterMode", dry(`"cluster":"tiger","mode":"shadow"`), dry(`"cluster":"lion","mode":"shadow"`)},
	{"SubscriptionService/GetSecret", `{"name":"pager"}`, `{"name":"pager"}`}, // webhooks are the fleet's
	{"SubscriptionService/TestSubscription", `{"name":"pager"}`, `{"name":"pager"}`},
	{"FleetService/SetNodes", dry(`"names":["tiger-h200-i1-001"],"state":"quarantined"`), dry(`"names":["lion-h200-i1-001"],"state":"quarantined"`)},
	{"FleetService/CloseIncident", dry(`"name":"sev-tiger"`), dry(`"name":"sev-lion"`)},
	{"FleetService/OpenIncident", dry(`"name":"new","scope":"tiger/h200","severity":"sev2"`), dry(`"name":"new","scope":"lion/h200","severity":"sev2"`)},
	{"HealthService/ReleaseNodes", dry(`"names":["tiger-h200-i1-001"]`), dry(`"names":["lion-h200-i1-001"]`)},
	{"HealthService/RecordValidation", dry(`"node":"tiger-h200-i1-001","passed":true`), dry(`"node":"lion-h200-i1-001","passed":true`)},
}

func dry(fields string) string { return `{"write":{"dryRun":true,"reason":"a try"},` + fields + `}` }

func work(namespace string) string {
	return dry(fmt.Sprintf(`"spec":{"namespace":%q,"name":"new","target":"flex","priority":"mid","pools":[{"name":"p","gpus":8,"min":1,"max":1}]}`, namespace))
}

// places says where a message of scoped acts, by the kind of its scope.
var kinds = map[string]string{"Workload": "namespace", "Quota": "quota", "Fleet": "cluster", "Health": "cluster", "Haircut": "cluster", "Buildout": "cluster", "Subscription": "fleet"}

// A role that is held in a scope acts there and nowhere else.
func TestARoleEndsWithItsScope(t *testing.T) {
	s := staff(t)
	for _, c := range scoped {
		service, _, _ := strings.Cut(c.procedure, "Service/")
		procedure := "/muster.v1." + c.procedure
		rule, _ := access.RuleOf(api.Actions()[procedure])
		for account := range s.secrets {
			role, kind := roleOf(account)
			may := role == fleet.Admin || slices.Contains(rule.Roles, role)
			inside := may && (kind == "fleet" || kind == kinds[service])
			if got := s.denied(account, procedure, c.in); got == inside {
				t.Errorf("%s as %s inside its scope: refused is %v", c.procedure, account, got)
			}
			if got := s.denied(account, procedure, c.out); got == (may && kind == "fleet") {
				t.Errorf("%s as %s outside its scope: refused is %v", c.procedure, account, got)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the tables in docs/security.md")

// The tables in docs/security.md are made from the code.
func TestTheDocumentHasTheTables(t *testing.T) {
	const path, begin, end = "../../../docs/security.md", "<!-- tables: made from the code -->\n", "<!-- end of tables -->\n"
	text, err := os.ReadFile(path)
	must(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the line %q or %q", path, begin, end)
	}
	want := before + begin + tables() + end + after
	switch {
	case want == string(text):
	case *update:
		must(t, os.WriteFile(path, []byte(want), 0o644))
	default:
		t.Errorf("%s is not what the code says; write it with: go test ./internal/faces/api -run TheDocumentHasTheTables -update", path)
	}
}

func tables() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n| role | for | held in | highest priority of its work |\n| --- | --- | --- | --- |\n")
	for _, r := range access.Roles() {
		limit := "–"
		if access.May([]access.Grant{access.GrantOf(r.Role, fleet.Scope{})}, access.SubmitWork, access.Place{}) {
			limit = r.Limit.String()
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Role, r.For, strings.Join(strings.Fields(r.In), ", "), limit)
	}
	calls := map[access.Action][]string{}
	for p, a := range api.Actions() {
		calls[a] = append(calls[a], "`"+strings.TrimPrefix(p, "/muster.v1.")+"`")
	}
	fmt.Fprintf(&b, "\n| action | who may | RPCs |\n| --- | --- | --- |\n")
	for _, r := range access.Table() {
		sort.Strings(calls[r.Action])
		fmt.Fprintf(&b, "| `%s`: %s | %s | %s |\n", r.Action, r.Means, whoMay(r), strings.Join(calls[r.Action], ", "))
	}
	b.WriteByte('\n')
	return b.String()
}

func whoMay(r access.Rule) string {
	var list []string
	if r.Everybody {
		list = append(list, "everybody who is known")
	}
	if r.Own {
		list = append(list, "a person for their own")
	}
	for _, role := range r.Roles {
		list = append(list, "`"+string(role)+"`")
	}
	if !r.Everybody {
		list = append(list, "`admin`")
	}
	return strings.Join(list, ", ")
}
