package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// What a pod itself requires of its node still holds when Muster starts it on one: its terms are
// alternatives, and the node is added to each.
func TestAPodIsPinnedBesideWhatItRequires(t *testing.T) {
	const wants = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"oak"},"spec":{"affinity":{"nodeAffinity":{
		"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
			{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]},
			{"matchExpressions":[{"key":"zone","operator":"In","values":["b"]}]}]}}}}}`
	var patch struct{ Spec corev1.PodSpec }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			body, _ := io.ReadAll(r.Body)
			_ = json.Unmarshal(body, &patch)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, wants)
	}))
	defer server.Close()
	client, err := connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	for choosy, zones := range map[bool][]string{false: {""}, true: {"a", "b"}} {
		if err := client.Start(t.Context(), translate.Pod{Namespace: "oak", Name: "p", Choosy: choosy}, "n1"); err != nil {
			t.Fatal(err)
		}
		terms := patch.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		if len(terms) != len(zones) {
			t.Fatalf("choosy %t: %d terms, want %d", choosy, len(terms), len(zones))
		}
		for i, term := range terms {
			zone := ""
			for _, e := range term.MatchExpressions {
				zone = e.Values[0]
			}
			if zone != zones[i] || len(term.MatchFields) != 1 || term.MatchFields[0].Values[0] != "n1" {
				t.Errorf("choosy %t: term %d is %+v; want zone %q, and node n1", choosy, i, term, zones[i])
			}
		}
		patch.Spec = corev1.PodSpec{}
	}
}
