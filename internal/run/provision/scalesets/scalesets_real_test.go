package scalesets

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// asoCRD is a kind of the operator's name and shape, which keeps whatever its spec says.
var asoCRD = kubetest.JSON{
	"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": kubetest.JSON{"name": "virtualmachinescalesets.compute.azure.com"},
	"spec": kubetest.JSON{
		"group": "compute.azure.com", "scope": "Namespaced", "names": kubetest.JSON{"plural": resource, "singular": "virtualmachinescaleset", "kind": kind, "listKind": kind + "List"},
		"versions": []kubetest.JSON{{
			"name": "v1api20220301", "served": true, "storage": true, "subresources": kubetest.JSON{"status": kubetest.JSON{}},
			"schema": kubetest.JSON{"openAPIV3Schema": kubetest.JSON{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		}},
	},
}

const setsPath = "/apis/compute.azure.com/v1api20220301/namespaces/clusters/virtualmachinescalesets"

// plane is a real API server that knows scale sets.
type plane struct {
	t *testing.T
	c *kubetest.Cluster
}

func newPlane(t *testing.T) (*plane, *ScaleSets) {
	t.Helper()
	p, s := newBarePlane(t)
	p.call(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", asoCRD)
	for range 100 {
		if p.c.Call(t.Context(), http.MethodGet, setsPath, nil, nil) == nil {
			return p, s
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("scale sets are not served")
	return nil, nil
}

// newBarePlane is a real API server that knows no scale sets yet.
func newBarePlane(t *testing.T) (*plane, *ScaleSets) {
	t.Helper()
	if os.Getenv(kubetest.Wanted) == "" {
		t.Skip("it takes long; make controlplane-test runs it, or " + kubetest.Wanted + "=1")
	}
	c, err := kubetest.Start(t.Context())
	if kubetest.Skips(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	p := &plane{t, c}
	p.call(http.MethodPost, "/api/v1/namespaces", kubetest.JSON{"apiVersion": "v1", "kind": "Namespace", "metadata": kubetest.JSON{"name": "clusters"}})
	api, err := dynamic.NewForConfig(&rest.Config{Host: c.URL, BearerToken: c.Token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 1000, Burst: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return p, &ScaleSets{API: api, Templates: templates(t, manifest)}
}

func (p *plane) call(method, path string, send any) {
	p.t.Helper()
	if err := p.c.Call(p.t.Context(), method, path, send, nil); err != nil {
		p.t.Fatal(err)
	}
}

type readySet struct {
	Metadata struct {
		Name            string         `json:"name"`
		Generation      int64          `json:"generation"`
		ResourceVersion string         `json:"resourceVersion"`
		Annotations     map[string]any `json:"annotations"`
	} `json:"metadata"`
}

func (p *plane) sets() []readySet {
	p.t.Helper()
	var list struct{ Items []readySet }
	if err := p.c.Call(p.t.Context(), http.MethodGet, setsPath, nil, &list); err != nil {
		p.t.Fatal(err)
	}
	return list.Items
}

// says writes the operator's word on every scale set, as the operator does: to the status.
func (p *plane) says(status, severity, reason, message string) {
	p.t.Helper()
	for _, s := range p.sets() {
		is := kubetest.JSON{
			"apiVersion": "compute.azure.com/v1api20220301", "kind": kind, "metadata": kubetest.JSON{"name": s.Metadata.Name, "namespace": "clusters", "resourceVersion": s.Metadata.ResourceVersion},
			"status": kubetest.JSON{"conditions": []kubetest.JSON{{
				"type": "Ready", "status": status, "severity": severity, "reason": reason, "message": message, "observedGeneration": s.Metadata.Generation, "lastTransitionTime": "2026-11-23T10:00:00Z",
			}}},
		}
		p.call(http.MethodPut, setsPath+"/"+s.Metadata.Name+"/status", is)
	}
}

// The whole way on a real API server: apply, the operator's words, more nodes, a person's hand, the
// API server killed and back, and removal.
func TestScaleSetsOnARealAPIServer(t *testing.T) {
	p, s := newPlane(t)
	began := time.Now()
	step := func(o provision.Order, state fleet.OperationState, says string) {
		t.Helper()
		is, err := carry(s, o)
		if err != nil || is.State != state || !strings.Contains(is.Error, says) {
			t.Fatalf("%s: want %s %q, got %+v, %v", o.ID, state, says, is, err)
		}
	}
	o := orderOf(fleet.StepScaleSets, 1, 1)
	step(o, fleet.OperationRunning, "")
	step(o, fleet.OperationRunning, "")
	p.says("False", "Warning", "OperationNotAllowed", "exceeding approved quota")
	step(o, fleet.OperationRunning, "exceeding approved quota")
	p.says("True", "", "Succeeded", "")
	step(o, fleet.OperationSucceeded, "")

	o = orderOf(fleet.StepScaleSets, 2, 1)
	o.Record.Islands[0].Nodes = 6
	step(o, fleet.OperationRunning, "")
	step(o, fleet.OperationRunning, "") // ready was of generation 1
	for _, x := range p.sets() {
		if want := map[string]int64{nameOf("lynx", "a"): 2, nameOf("lynx", "b"): 1}[x.Metadata.Name]; x.Metadata.Generation != want {
			t.Errorf("%s has generation %d", x.Metadata.Name, x.Metadata.Generation)
		}
	}
	p.says("True", "", "Succeeded", "")
	step(o, fleet.OperationSucceeded, "")

	p.c.KillPart("kube-apiserver")
	if is, found, err := s.Find(t.Context(), orderOf(fleet.StepTeardown, 2, 1)); found || err == nil {
		t.Errorf("an API server that is killed: %+v, found %v", is, found)
	}
	if err := errors.Join(p.c.StartPart("kube-apiserver"), p.c.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	step(o, fleet.OperationSucceeded, "")

	p.byHand(nameOf("lynx", "a"))
	p.says("True", "", "Succeeded", "")
	step(o, fleet.OperationFailed, "capacity 3 by the hand of kubectl-edit, and the record says 6")
	var no *provision.Refused
	again := orderOf(fleet.StepScaleSets, 2, 2)
	again.Record = o.Record
	if is, err := carry(s, again); !errors.As(err, &no) || no.Class != fleet.ErrorPerson || !strings.Contains(err.Error(), "kubectl-edit") {
		t.Errorf("over a person's hand: %+v, %v", is, err)
	}

	down := orderOf(fleet.StepTeardown, 2, 1)
	step(down, fleet.OperationRunning, "")
	step(down, fleet.OperationSucceeded, "")
	if left := p.sets(); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	p.call(http.MethodDelete, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/virtualmachinescalesets.compute.azure.com", nil)
	time.Sleep(2 * time.Second)
	if is, found, err := s.Find(t.Context(), down); found || err == nil {
		t.Errorf("without its kind: %+v, found %v", is, found)
	}
	t.Logf("on a real API server: %s", time.Since(began).Round(100*time.Millisecond))
}

// byHand changes the capacity, as kubectl edit does.
func (p *plane) byHand(name string) {
	p.t.Helper()
	var is map[string]any
	if err := p.c.Call(p.t.Context(), http.MethodGet, setsPath+"/"+name, nil, &is); err != nil {
		p.t.Fatal(err)
	}
	is["spec"].(object)["sku"].(object)["capacity"] = 3
	p.call(http.MethodPut, setsPath+"/"+name+"?fieldManager=kubectl-edit", is)
}
