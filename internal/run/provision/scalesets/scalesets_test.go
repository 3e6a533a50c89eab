package scalesets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

type object = map[string]any

const manifest = `apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachineScaleSet
metadata: {namespace: clusters}
spec:
  owner: {armId: "/subscriptions/${subscription}/resourceGroups/${cluster}"}
  zones: ["${zone}"]
  sku: {tier: Standard}
  platformFaultDomainCount: 1
`

// office is a management cluster: it keeps scale sets, as an API server does, and plays the
// operator. It may lose answers, before or after it did what was asked.
type office struct {
	t             *testing.T
	sets          map[string]object // by path
	applied       map[string]int    // how often each was made or changed
	deleted       map[string]string // by name, with the policy that was in force then
	conflict      bool              // another has set a field
	unknown       bool              // it does not know the kind
	answers       int
	loses, breaks map[int]bool
}

func newOffice(t *testing.T) (*office, *ScaleSets) {
	t.Helper()
	f := &office{t: t, sets: map[string]object{}, applied: map[string]int{}, deleted: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(server.Close)
	api, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, QPS: 1000, Burst: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return f, &ScaleSets{API: api, Templates: templates(t, manifest)}
}

func templates(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "nd.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func (f *office) answer(w http.ResponseWriter, r *http.Request) {
	f.answers++
	if f.unknown {
		http.NotFound(w, r)
		return
	}
	code, is := http.StatusInternalServerError, any(nil)
	if !f.breaks[f.answers] {
		code, is = f.do(r)
	}
	if f.loses[f.answers] {
		code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if code >= 400 {
		is = object{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": map[int]string{404: "NotFound", 409: "Conflict", 500: "InternalError"}[code],
			"message": map[int]string{404: "not found", 409: `conflict with "kubectl-edit": .spec.sku.capacity`, 500: "conversion webhook failed"}[code],
		}
	}
	_ = json.NewEncoder(w).Encode(is)
}

func (f *office) do(r *http.Request) (int, any) {
	body, _ := io.ReadAll(r.Body)
	set := f.sets[r.URL.Path]
	name := filepath.Base(r.URL.Path)
	switch {
	case r.Method == http.MethodPatch && strings.Contains(r.Header.Get("Content-Type"), "apply-patch"):
		if f.conflict {
			return http.StatusConflict, nil
		}
		return f.apply(r.URL.Path, name, set, body)
	case set == nil:
		return http.StatusNotFound, nil
	case r.Method == http.MethodPatch:
		var patch struct {
			Metadata struct{ Annotations map[string]any }
		}
		_ = json.Unmarshal(body, &patch)
		maps.Copy(set["metadata"].(object)["annotations"].(object), patch.Metadata.Annotations)
	case r.Method == http.MethodDelete:
		if !strings.Contains(string(body), set["metadata"].(object)["uid"].(string)) {
			return http.StatusConflict, nil
		}
		f.deleted[name], _ = set["metadata"].(object)["annotations"].(object)[notePolicy].(string)
		set["metadata"].(object)["deletionTimestamp"] = "2026-11-23T12:00:00Z"
	}
	return http.StatusOK, set
}

func (f *office) apply(path, name string, set object, body []byte) (int, any) {
	var want object
	if err := json.Unmarshal(body, &want); err != nil {
		f.t.Error(err)
	}
	if set == nil {
		set = object{"apiVersion": want["apiVersion"], "kind": want["kind"], "metadata": object{"generation": 0}}
		f.sets[path] = set
	}
	meta := set["metadata"].(object)
	if !reflect.DeepEqual(set["spec"], want["spec"]) {
		meta["generation"] = meta["generation"].(int) + 1
		f.applied[name]++
	}
	set["spec"] = want["spec"]
	meta["name"], meta["namespace"], meta["uid"], meta["annotations"] = name, "clusters", "uid-"+name, want["metadata"].(object)["annotations"]
	return http.StatusOK, set
}

// says lets the operator say how all scale sets stand.
func (f *office) says(status, severity, reason, message string) {
	for _, set := range f.sets {
		set["status"] = object{"conditions": []any{object{
			"type": "Ready", "status": status, "severity": severity, "reason": reason, "message": message,
			"observedGeneration": set["metadata"].(object)["generation"], "lastTransitionTime": "2026-11-23T10:00:00Z",
		}}}
	}
}

func orderOf(step fleet.Step, generation, attempt int) provision.Order {
	return provision.Order{
		ID: fmt.Sprintf("lynx.%s.g%d.%d", step, generation, attempt), Step: step, Generation: generation, Attempt: attempt,
		Record: fleet.ClusterRecord{
			Name: "lynx", Subscription: "s1", Region: "eastus", SKU: "Standard_ND96isr_H200_v5", GPU: "h200", GPUsPerNode: 8, Variables: map[string]string{"zone": "2", "key": "env:PLANTED"},
			Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}, {Name: "b", Nodes: 2}},
		},
		Blueprint: fleet.Blueprint{Name: "nd", Version: 1},
	}
}

// carry does what a runner does once.
func carry(s *ScaleSets, o provision.Order) (provision.Report, error) {
	is, found, err := s.Find(context.Background(), o)
	if found || err != nil {
		return is, err
	}
	return s.Begin(context.Background(), o)
}

// One scale set is made for each island, by the blueprint's manifest, and stands once the operator
// says so of its present generation.
func TestEachIslandHasOneScaleSet(t *testing.T) {
	f, s := newOffice(t)
	o := orderOf(fleet.StepScaleSets, 1, 1)
	for range 3 {
		if is, err := carry(s, o); err != nil || is.State != fleet.OperationRunning {
			t.Fatalf("%+v, %v", is, err)
		}
	}
	if len(f.sets) != 2 {
		t.Fatalf("%d scale sets were made", len(f.sets))
	}
	a := f.sets["/apis/compute.azure.com/v1api20220301/namespaces/clusters/virtualmachinescalesets/"+nameOf("lynx", "a")]
	spec, notes := a["spec"].(object), a["metadata"].(object)["annotations"].(object)
	want := object{
		"owner": object{"armId": "/subscriptions/s1/resourceGroups/lynx"}, "zones": []any{"2"}, "location": "eastus", "azureName": nameOf("lynx", "a"),
		"sku": object{"tier": "Standard", "name": "Standard_ND96isr_H200_v5", "capacity": 4.0}, "platformFaultDomainCount": 1.0,
	}
	if !reflect.DeepEqual(spec, want) || notes[notePolicy] != "detach-on-delete" || notes[noteOperation] != o.ID {
		t.Errorf("it is %v with %v", spec, notes)
	}
	f.says("True", "", "Succeeded", "")
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationSucceeded {
		t.Errorf("ready: %+v, %v", is, err)
	}
	o = orderOf(fleet.StepScaleSets, 2, 1)
	o.Record.Islands[0].Nodes = 6
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationRunning {
		t.Errorf("%+v, %v", is, err)
	}
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationRunning {
		t.Errorf("what the operator said of generation 1 counts for 2: %+v, %v", is, err)
	}
	f.says("True", "", "Succeeded", "")
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationSucceeded || len(f.sets) != 2 || f.applied[nameOf("lynx", "a")] != 2 || f.applied[nameOf("lynx", "b")] != 1 {
		t.Errorf("%+v, %v, applied %v", is, err, f.applied)
	}
}

// What the operator says is what people read: quota is retried by it for ever, other errors end a try.
func TestTheOperatorsWordsAreSaid(t *testing.T) {
	for _, c := range []struct {
		status, severity, reason string
		state                    fleet.OperationState
		class                    fleet.ErrorClass
		says                     string
	}{
		{"False", "Warning", "OperationNotAllowed", fleet.OperationRunning, "", "OperationNotAllowed: exceeding approved quota (the operator tries again by itself, for ever; since 2026"},
		{"False", "Warning", "TooManyRequests", fleet.OperationRunning, "", "TooManyRequests"},
		{"False", "Info", "Reconciling", fleet.OperationRunning, "", ""},
		{"Unknown", "", "", fleet.OperationRunning, "", ""},
		{"False", "Error", "InvalidParameter", fleet.OperationFailed, fleet.ErrorFix, "InvalidParameter: exceeding approved quota"},
		{"False", "Error", "AllocationFailed", fleet.OperationFailed, fleet.ErrorWait, "AllocationFailed"},
	} {
		f, s := newOffice(t)
		o := orderOf(fleet.StepScaleSets, 1, 1)
		_, _ = carry(s, o)
		f.says(c.status, c.severity, c.reason, "exceeding approved quota: PUT https://management.azure.com/subscriptions/s1\n----\nRESPONSE 409: 409 Conflict")
		is, err := carry(s, o)
		if err != nil || is.State != c.state || is.Class != c.class || !strings.Contains(is.Error, c.says) || c.says == "" && is.Error != "" || strings.Contains(is.Error, "https") || strings.Count(is.Error, c.reason) > 1 {
			t.Errorf("%v: %+v, %v", c, is, err)
		}
	}
}

// Sets that have the same error tell it once, with the first moment.
func TestManyScaleSetsSayTheSameOnce(t *testing.T) {
	var list []standing
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, standing{state: fleet.OperationRunning, name: name, says: "OperationNotAllowed: no cores", since: fmt.Sprintf("2026-11-23T10:0%d:00Z", 9-i)})
	}
	list = append(list, standing{state: fleet.OperationRunning, name: "f"}, standing{state: fleet.OperationRunning, name: "g", says: "it is not there"})
	want := "scale sets a, b, c and 2 more: OperationNotAllowed: no cores (the operator tries again by itself, for ever; since 2026-11-23T10:05:00Z); scale set g: it is not there"
	if is := sayAll(list); is != want {
		t.Errorf("%q", is)
	}
}

// While it cannot be read how scale sets stand, it is not known: they are never said to be gone,
// neither where the operator is down nor where its kinds are not there.
func TestWhatCannotBeReadIsNotGone(t *testing.T) {
	f, s := newOffice(t)
	up := orderOf(fleet.StepScaleSets, 1, 1)
	_, _ = carry(s, up)
	f.says("True", "", "Succeeded", "")
	looks := provision.Subject{Record: up.Record, Blueprint: up.Blueprint, Generation: 1, Done: []fleet.Step{fleet.StepScaleSets}}
	if seen, err := s.Look(t.Context(), looks); err != nil || len(seen) != 1 || !seen[0].Holds {
		t.Fatalf("%+v, %v", seen, err)
	}
	down := func(n int) map[int]bool {
		is := map[int]bool{}
		for i := range 20 {
			is[n+i] = true
		}
		return is
	}
	for what, breaks := range map[string]func(){
		"500":          func() { f.breaks = down(f.answers + 1) },
		"no such kind": func() { f.breaks, f.unknown = nil, true },
	} {
		breaks()
		if is, found, err := s.Find(t.Context(), orderOf(fleet.StepTeardown, 1, 1)); found || err == nil {
			t.Errorf("%s: a removal is %+v, found %v", what, is, found)
		}
		if seen, err := s.Look(t.Context(), looks); err == nil || len(seen) > 0 {
			t.Errorf("%s: seen was %+v", what, seen)
		}
		f.unknown = false
	}
	f.breaks = nil
	for _, name := range slices.Sorted(maps.Keys(f.sets))[:1] {
		delete(f.sets, name)
	}
	if seen, err := s.Look(t.Context(), looks); err != nil || len(seen) != 1 || seen[0].Holds || !strings.Contains(seen[0].Detail, "is not there") {
		t.Errorf("one was taken away: %+v, %v", seen, err)
	}
}

// What a person has changed is theirs; what another made is not touched.
func TestAPersonsHandIsNotOverwritten(t *testing.T) {
	f, s := newOffice(t)
	o := orderOf(fleet.StepScaleSets, 1, 1)
	_, _ = carry(s, o)
	f.says("True", "", "Succeeded", "")
	for _, set := range f.sets {
		set["spec"].(object)["sku"].(object)["capacity"] = 3
		set["metadata"].(object)["managedFields"] = []any{object{"manager": "kubectl-edit", "operation": "Update"}}
	}
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationFailed || is.Class != fleet.ErrorPerson || !strings.Contains(is.Error, "capacity 3 by the hand of kubectl-edit, and the record says 4") {
		t.Errorf("%+v, %v", is, err)
	}
	f.conflict = true
	var no *provision.Refused
	if _, err := carry(s, orderOf(fleet.StepScaleSets, 1, 2)); !errors.As(err, &no) || no.Class != fleet.ErrorPerson || !strings.Contains(err.Error(), "kubectl-edit") {
		t.Errorf("%v", err)
	}
	f.conflict = false
	for _, set := range f.sets {
		set["metadata"].(object)["annotations"].(object)[noteCluster] = "puma"
	}
	for _, step := range []fleet.Step{fleet.StepScaleSets, fleet.StepTeardown} {
		if _, err := carry(s, orderOf(step, 1, 3)); !errors.As(err, &no) || no.Class != fleet.ErrorPerson || len(f.deleted) > 0 {
			t.Errorf("%s of another's: %v, deleted %v", step, err, f.deleted)
		}
	}
}

// A removal takes what stands in the cloud with it, and ends once nothing is left.
func TestARemovalTakesTheCloudsPartWithIt(t *testing.T) {
	f, s := newOffice(t)
	_, _ = carry(s, orderOf(fleet.StepScaleSets, 1, 1))
	o := orderOf(fleet.StepTeardown, 1, 1)
	for range 3 {
		if is, err := carry(s, o); err != nil || is.State != fleet.OperationRunning {
			t.Fatalf("%+v, %v", is, err)
		}
	}
	if want := map[string]string{nameOf("lynx", "a"): "manage", nameOf("lynx", "b"): "manage"}; !maps.Equal(f.deleted, want) {
		t.Errorf("deleted were %v", f.deleted)
	}
	f.says("False", "Warning", "ScopeLocked", "the resource group is locked")
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationRunning || !strings.Contains(is.Error, "the resource group is locked") {
		t.Errorf("%+v, %v", is, err)
	}
	clear(f.sets)
	if is, err := carry(s, o); err != nil || is.State != fleet.OperationSucceeded {
		t.Errorf("%+v, %v", is, err)
	}
}

// Whatever answer is lost, or does not even come to be, there is one scale set for each island,
// applied once, and one removal.
func TestNoLostAnswerMakesTwo(t *testing.T) {
	points := 0
	for at, met := 1, true; met; at++ {
		for _, after := range []bool{true, false} {
			f, s := newOffice(t)
			if lost := map[int]bool{at: true}; after {
				f.loses = lost
			} else {
				f.breaks = lost
			}
			met = false
			through := func(o provision.Order, then func()) {
				for range 8 {
					is, err := carry(s, o)
					met = met || err != nil
					if err != nil && errors.As(err, new(*provision.Refused)) {
						t.Fatalf("answer %d: what passes is refused: %v", at, err)
					}
					if is.State == fleet.OperationRunning {
						then()
					}
					if is.State == fleet.OperationSucceeded {
						return
					}
				}
				t.Fatalf("answer %d: %s does not come to its end", at, o.ID)
			}
			through(orderOf(fleet.StepScaleSets, 1, 1), func() { f.says("True", "", "Succeeded", "") })
			if a, b := f.applied[nameOf("lynx", "a")], f.applied[nameOf("lynx", "b")]; len(f.sets) != 2 || a != 1 || b != 1 {
				t.Fatalf("answer %d: %d scale sets, applied %v", at, len(f.sets), f.applied)
			}
			through(orderOf(fleet.StepTeardown, 1, 1), func() {
				if len(f.deleted) == 2 {
					clear(f.sets)
				}
			})
			if met {
				points++
			}
		}
	}
	t.Logf("answers that were lost: %d", points)
	if points < 20 {
		t.Errorf("only %d answers were lost", points)
	}
}

// A manifest that cannot be applied waits for a change, and says where it is; no secret is written.
func TestAManifestThatIsWrongIsSaid(t *testing.T) {
	for text, says := range map[string]string{
		"": "is a", "a: [": "nd.yaml", "apiVersion: v1\nkind: Secret\n": "has to be a VirtualMachineScaleSet",
		strings.ReplaceAll(manifest, "${zone}", "${zones}"): "${zones} is no word of the record",
		strings.ReplaceAll(manifest, "${zone}", "${key}"):   "${key} is no word of the record",
	} {
		f, s := newOffice(t)
		s.Templates = templates(t, text)
		var no *provision.Refused
		if _, err := carry(s, orderOf(fleet.StepScaleSets, 1, 1)); !errors.As(err, &no) || no.Class != fleet.ErrorFix || !strings.Contains(err.Error(), says) || len(f.sets) > 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, s := newOffice(t)
	o := orderOf(fleet.StepScaleSets, 1, 1)
	o.Blueprint.Name = "../nd"
	if _, err := carry(s, o); err == nil || !strings.Contains(err.Error(), "no name of a file") {
		t.Errorf("a manifest elsewhere: %v", err)
	}
	if a, b := nameOf("a-b", "c"), nameOf("a", "b-c"); a == b {
		t.Errorf("two islands have the scale set %s", a)
	}
}
