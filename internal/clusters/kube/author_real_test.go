package kube

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// authored applies the policies about authors until the test ends, and waits until Muster believes them. People
// who may make and change work in oak are those of its role.
func (w *world) authored(people ...string) {
	w.t.Helper()
	subjects := make([]kubetest.JSON, len(people))
	for i, who := range people {
		subjects[i] = kubetest.JSON{"kind": "User", "name": who, "apiGroup": "rbac.authorization.k8s.io"}
	}
	const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/oak/"
	w.call(http.MethodPost, rbac+"roles", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": kubetest.JSON{"name": "works"},
		"rules": []kubetest.JSON{
			{"apiGroups": []string{"", "batch", "apps"}, "resources": []string{"pods", "pods/status", "pods/binding", "jobs", "jobs/status", "deployments"}, "verbs": []string{"get", "create", "update", "patch"}},
		},
	}, nil)
	w.call(http.MethodPost, rbac+"rolebindings", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": kubetest.JSON{"name": "works"},
		"roleRef": kubetest.JSON{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "works"}, "subjects": subjects,
	}, nil)
	if err := w.c.Grant(w.ctx, "agent", "muster-author"); err != nil {
		w.t.Fatal(err)
	}
	w.manifest(authorFile)
	w.t.Cleanup(func() {
		const admission = "/apis/admissionregistration.k8s.io/v1/"
		for _, path := range []string{
			"mutatingadmissionpolicybindings/muster-author-write", "mutatingadmissionpolicies/muster-author-write",
			"validatingadmissionpolicybindings/muster-author", "validatingadmissionpolicies/muster-author",
		} {
			_ = w.c.Call(context.Background(), http.MethodDelete, admission+path, nil, nil)
		}
		for _, path := range []string{"rolebindings/works", "roles/works"} {
			_ = w.c.Call(context.Background(), http.MethodDelete, rbac+path, nil, nil)
		}
		w.c.Revoke(context.Background(), "muster-author")
	})
	began := time.Now()
	w.eventually(time.Minute, "the policy is in force", func() string {
		_, body := w.as(people[0], http.MethodPost, "/api/v1/namespaces/oak/pods?dryRun=All", kubetest.Pod("oak", "try", 1))
		if !strings.Contains(body, translate.AnnotationAuthor) || time.Since(began) <= authorsKnown+2*time.Second {
			return "not yet"
		}
		return ""
	})
}

// makes has a user make something in oak, which must be taken.
func (w *world) makes(user, resource string, of kubetest.JSON) {
	w.t.Helper()
	path := "/apis/batch/v1/namespaces/oak/jobs"
	switch resource {
	case "pods":
		path = "/api/v1/namespaces/oak/pods"
	case "deployments":
		path = "/apis/apps/v1/namespaces/oak/deployments"
	}
	if code, says := w.as(user, http.MethodPost, path, of); code != http.StatusCreated {
		w.t.Fatalf("%s makes %s: %s", user, resource, says)
	}
}

// recorded says whether the author of a workload of oak is recorded so.
func (w *world) recorded(name, author string) func() string {
	return func() (lacks string) {
		w.read(func(s *fleet.State) {
			switch is := s.Workload("oak", name); {
			case is == nil:
				lacks = "there is no workload " + name
			case is.Author != author:
				lacks = fmt.Sprintf("the author is %q, want %q", is.Author, author)
			}
		})
		return lacks
	}
}

// TestTheAuthorOfAWorkloadIsAFact makes work as people who say that others made it, and tries to change
// afterwards what the API server has written down.
func TestTheAuthorOfAWorkloadIsAFact(t *testing.T) {
	w := managing(t, 1, 8, map[string]int{"oak": 64})
	early := job("oak", "early", 1, "oak")
	early["metadata"].(kubetest.JSON)["annotations"] = kubetest.JSON{translate.AnnotationAuthor: "forged"}
	w.job(early)
	w.eventually(time.Minute, "a claim from before the policy", w.recorded("early", ""))
	w.authored("ada", "mia")

	w.makes("ada", "jobs", job("oak", "honest", 2, "oak"))
	forged := job("oak", "forged", 1, "oak", translate.AnnotationAuthor, "mia") // its template says so, too
	forged["metadata"].(kubetest.JSON)["annotations"] = kubetest.JSON{translate.AnnotationAuthor: "mia"}
	w.makes("ada", "jobs", forged)
	w.makes("ada", "pods", target(kubetest.Pod("oak", "alone", 8), "oak", translate.AnnotationAuthor, "mia"))
	w.makes("mia", "deployments", deployment("oak", "web", 1, "oak"))
	for name, author := range map[string]string{"honest": "ada", "forged": "ada", "alone": "ada", "web": "mia"} {
		w.eventually(2*time.Minute, "the author of "+name, w.recorded(name, author))
	}

	of := struct{ Metadata struct{ UID string } }{}
	w.call(http.MethodGet, "/apis/batch/v1/namespaces/oak/jobs/honest", nil, &of)
	claims := target(kubetest.Pod("oak", "claims", 8), "oak")
	claims["metadata"].(kubetest.JSON)["ownerReferences"] = []kubetest.JSON{{"apiVersion": "batch/v1", "kind": "Job", "name": "honest", "uid": of.Metadata.UID, "controller": true}}
	if _, says := w.as("mia", http.MethodPost, "/api/v1/namespaces/oak/pods?dryRun=All", claims); !strings.Contains(says, `"muster.dev/author":"mia"`) {
		t.Errorf("a pod that claims to be of ada's Job is not mia's: %s", says)
	}
	w.keepsAuthors(t)
	w.sound()
}

// keepsAuthors tries what could change who made something, or give a pod of mia's to ada.
func (w *world) keepsAuthors(t *testing.T) {
	t.Helper()
	change := kubetest.JSON{"metadata": kubetest.JSON{"annotations": kubetest.JSON{translate.AnnotationAuthor: "mia"}}}
	takeAway := kubetest.JSON{"metadata": kubetest.JSON{"annotations": kubetest.JSON{translate.AnnotationAuthor: nil}}}
	var made string
	for _, p := range w.pods("oak") {
		if strings.HasPrefix(p.Metadata.Name, "honest") {
			made = p.Metadata.Name
		}
		if author, said := p.Metadata.Annotations[translate.AnnotationAuthor]; said != (p.Metadata.Name == "alone") {
			t.Errorf("pod %s names the author %q", p.Metadata.Name, author)
		}
	}
	const jobs, pods = "/apis/batch/v1/namespaces/oak/jobs/", "/api/v1/namespaces/oak/pods/"
	for _, path := range []string{jobs + "honest", jobs + "honest/status", jobs + "early", pods + "alone", pods + "alone/status", pods + made, pods + made + "/status"} {
		for _, user := range []string{"mia", "ada"} {
			if code, says := w.as(user, http.MethodPatch, path+"?dryRun=All", change); code == http.StatusOK || !strings.Contains(says, "muster-author") && !strings.Contains(says, "muster-updates") {
				t.Errorf("%s changes %s: %d %s", user, path, code, says)
			}
		}
	}
	for _, path := range []string{jobs + "honest", pods + "alone"} {
		if code, says := w.as("mia", http.MethodPatch, path+"?dryRun=All", takeAway); code != http.StatusOK || !strings.Contains(says, `"muster.dev/author":"ada"`) {
			t.Errorf("mia takes the author of %s away: %d %s", path, code, says)
		}
	}
	bind := kubetest.JSON{
		"apiVersion": "v1", "kind": "Binding", "metadata": kubetest.JSON{"name": made, "annotations": kubetest.JSON{translate.AnnotationAuthor: "mia"}},
		"target": kubetest.JSON{"kind": "Node", "name": "i0-n000"},
	}
	if code, says := w.as("mia", http.MethodPost, pods+made+"/binding?dryRun=All", bind); code == http.StatusCreated || !strings.Contains(says, "muster-author") {
		t.Errorf("mia binds %s and says that it is hers: %d %s", made, code, says)
	}
	if code, says := w.as("mia", http.MethodPatch, pods+made+"?dryRun=All", kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"mine": "yes"}}}); code != http.StatusOK {
		t.Errorf("a label of one's own is refused: %s", says)
	}
	var other struct{ Metadata struct{ UID string } }
	w.call(http.MethodGet, jobs+"forged", nil, &other)
	give := kubetest.JSON{"metadata": kubetest.JSON{"ownerReferences": []kubetest.JSON{{"apiVersion": "batch/v1", "kind": "Job", "name": "forged", "uid": other.Metadata.UID, "controller": true}}}}
	if code, says := w.as("mia", http.MethodPatch, pods+made+"?dryRun=All", give); code == http.StatusOK || !strings.Contains(says, "muster-author") {
		t.Errorf("mia gives %s to another Job: %d %s", made, code, says)
	}
}
