package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const authorFile = "../../../deploy/kubernetes/author.yaml"

// ruled is when the policy of the tests was made.
var ruled = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// authorPlane is an API server that has the policy, its binding and what makes pods.
type authorPlane struct {
	policy, binding string            // their specs; "": there is none
	generation      int               // of the policy; 0: 1, as it was made
	objects         map[string]string // the metadata of others, by path
	asked           []string
}

func (a *authorPlane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked = append(a.asked, r.URL.Path)
	const admission = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
	head := fmt.Sprintf(`"kind":"X","apiVersion":"v1","metadata":{"name":"muster-author","uid":"u","generation":%d,"creationTimestamp":%q}`, max(1, a.generation), ruled.Format(time.RFC3339))
	w.Header().Set("Content-Type", "application/json")
	meta, there := a.objects[r.URL.Path]
	switch {
	case r.URL.Path == admission+"ies/muster-author" && a.policy != "":
		_, _ = fmt.Fprintf(w, `{%s,"spec":%s}`, head, a.policy)
	case r.URL.Path == admission+"ybindings/muster-author" && a.binding != "":
		_, _ = fmt.Fprintf(w, `{%s,"spec":%s}`, head, a.binding)
	case there:
		_, _ = fmt.Fprintf(w, `{"kind":"X","apiVersion":"v1","metadata":%s}`, meta)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

const bound = `{"policyName":"muster-author","validationActions":["Deny"]}`

// ruling is the spec of the policy in author.yaml, as an API server shows it.
var ruling = ruledBut(func(map[string]any) {})

// ruledBut is that with something changed.
func ruledBut(change func(spec map[string]any)) string {
	data, err := os.ReadFile(authorFile)
	if err != nil {
		return err.Error()
	}
	for docs := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var is struct {
			Kind string
			Spec map[string]any
		}
		if err := docs.Decode(&is); err != nil {
			return err.Error()
		}
		if is.Kind == "ValidatingAdmissionPolicy" {
			on, _ := is.Spec["matchConstraints"].(map[string]any)
			on["namespaceSelector"], on["objectSelector"], on["matchPolicy"] = map[string]any{}, map[string]any{}, "Equivalent"
			change(is.Spec)
			spec, _ := json.Marshal(is.Spec)
			return string(spec)
		}
	}
}

// metaOf is an object's metadata: made so long after the policy, by a user, for an owner such as "batch/v1 Job train 7".
func metaOf(name, uid string, after time.Duration, author, owner string) string {
	notes, owners := "{}", "[]"
	if author != "" {
		notes = fmt.Sprintf(`{"muster.dev/author":%q}`, author)
	}
	if of := strings.Fields(owner); len(of) == 4 {
		owners = fmt.Sprintf(`[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"controller":true}]`, of[0], of[1], of[2], of[3])
	}
	return fmt.Sprintf(`{"name":%q,"namespace":"oak","uid":%q,"creationTimestamp":%q,"annotations":%s,"ownerReferences":%s}`,
		name, uid, ruled.Add(after).Format(time.RFC3339), notes, owners)
}

// podBy is a pod as translate reads it.
func podBy(t *testing.T, meta string) translate.Pod {
	t.Helper()
	eight := corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}}
	pod := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: eight}}}}
	if err := json.Unmarshal([]byte(meta), &pod.ObjectMeta); err != nil {
		t.Fatal(err)
	}
	o := translate.Defaults("tiger")
	is, ok := translate.PodOf(&pod, &o)
	if !ok {
		t.Fatal("it asks for no GPU")
	}
	return is
}

// authorFound is the author that is found of a pod.
func (a *authorPlane) authorFound(t *testing.T, meta string) string {
	t.Helper()
	server := httptest.NewServer(a)
	defer server.Close()
	client, err := connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	c := &authorController{shared: newShared(client, testEngine{e}, Options{Translate: translate.Defaults("tiger")})}
	p := snapshotOf(objects{pods: []translate.Pod{podBy(t, meta)}})
	c.find(t.Context(), &p)
	of := &workloadController{shared: c.shared}
	if spec := of.specOf(p.Work[0]); spec.Author != p.Work[0].Author {
		t.Errorf("what is submitted has the author %q, and was made by %q", spec.Author, p.Work[0].Author)
	}
	return p.Work[0].Author
}

// TestTheAuthorIsWhoMadeWhatAPersonMakes follows pods to what a person made, and believes an annotation
// only where the policy was in force when the object was made.
func TestTheAuthorIsWhoMadeWhatAPersonMakes(t *testing.T) {
	const job, set, deployment, leaders = "/apis/batch/v1/namespaces/oak/jobs/train", "/apis/apps/v1/namespaces/oak/replicasets/web-1", "/apis/apps/v1/namespaces/oak/deployments/web", "/apis/apps/v1/namespaces/oak/statefulsets/crew"
	const later = time.Minute
	objects := map[string]string{
		job: metaOf("train", "7", later, "ada", ""), set: metaOf("web-1", "8", later, "", "apps/v1 Deployment web 9"), deployment: metaOf("web", "9", later, "mia", ""),
		"/apis/batch/v1/namespaces/oak/jobs/early": metaOf("early", "5", -time.Hour, "forged", ""),
		leaders: metaOf("crew", "6", later, "", "apps/v1 StatefulSet crew 6"), // it made itself
	}
	plane := func() *authorPlane { return &authorPlane{policy: ruling, binding: bound, objects: objects} }
	for what, c := range map[string]struct {
		plane *authorPlane
		pod   string
		want  string
	}{
		"a pod that a person made":              {plane(), metaOf("p", "1", later, "ada", ""), "ada"},
		"a pod of a Job":                        {plane(), metaOf("p", "1", later, "", "batch/v1 Job train 7"), "ada"},
		"a pod of a Deployment":                 {plane(), metaOf("p", "1", later, "", "apps/v1 ReplicaSet web-1 8"), "mia"},
		"a pod that claims another's Job":       {plane(), metaOf("p", "1", later, "eve", "batch/v1 Job train 7"), "eve"},
		"a pod of an earlier Job of that name":  {plane(), metaOf("p", "1", later, "", "batch/v1 Job train 4"), ""},
		"a pod of a Job of another group":       {plane(), metaOf("p", "1", later, "", "batch.volcano.sh/v1 Job train 7"), ""},
		"a pod of a Job from before the policy": {plane(), metaOf("p", "1", later, "", "batch/v1 Job early 5"), ""},
		"what makes itself":                     {plane(), metaOf("p", "1", later, "", "apps/v1 StatefulSet crew 6"), ""},
		"a pod from before the policy":          {plane(), metaOf("p", "1", -time.Hour, "forged", ""), ""},
		"a pod right after the policy":          {plane(), metaOf("p", "1", time.Second, "forged", ""), ""},
		"control characters":                    {plane(), metaOf("p", "1", later, "a\tb", ""), "a b"},
		"no policy":                             {&authorPlane{binding: bound, objects: objects}, metaOf("p", "1", later, "forged", ""), ""},
		"no binding":                            {&authorPlane{policy: ruling, objects: objects}, metaOf("p", "1", later, "forged", ""), ""},
		"a binding that only warns":             {&authorPlane{policy: ruling, binding: `{"policyName":"muster-author","validationActions":["Warn"]}`}, metaOf("p", "1", later, "forged", ""), ""},
		"a binding for some namespaces": {
			&authorPlane{policy: ruling, binding: `{"policyName":"muster-author","validationActions":["Deny"],"matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}}}`},
			metaOf("p", "1", later, "forged", ""), "",
		},
		"a policy for some namespaces": {&authorPlane{policy: ruledBut(matching("namespaceSelector", map[string]any{"matchLabels": map[string]any{"a": "b"}})), binding: bound}, metaOf("p", "1", later, "forged", ""), ""},
		"a policy for exact versions":  {&authorPlane{policy: ruledBut(matching("matchPolicy", "Exact")), binding: bound}, metaOf("p", "1", later, "forged", ""), ""},
		"a policy of fewer kinds":      {&authorPlane{policy: ruledBut(matching("resourceRules", []any{})), binding: bound}, metaOf("p", "1", later, "forged", ""), ""},
		"a policy that may fail":       {&authorPlane{policy: ruledBut(func(spec map[string]any) { spec["failurePolicy"] = "Ignore" }), binding: bound}, metaOf("p", "1", later, "forged", ""), ""},
		"a policy that lets all pass": {
			&authorPlane{policy: ruledBut(func(spec map[string]any) { spec["validations"] = []any{map[string]any{"expression": "true"}} }), binding: bound},
			metaOf("p", "1", later, "forged", ""), "",
		},
		"a policy that sees another author": {
			&authorPlane{policy: ruledBut(func(spec map[string]any) { spec["variables"].([]any)[0].(map[string]any)["expression"] = "''" }), binding: bound}, //nolint:forcetypeassert // it is a test's
			metaOf("p", "1", later, "forged", ""), "",
		},
		"a policy that was changed since": {&authorPlane{policy: ruling, binding: bound, generation: 3}, metaOf("p", "1", later, "forged", ""), ""},
	} {
		if got := c.plane.authorFound(t, c.pod); got != c.want {
			t.Errorf("%s: the author is %q, want %q", what, got, c.want)
		}
	}
}

func matching(what string, is any) func(map[string]any) {
	return func(spec map[string]any) { spec["matchConstraints"].(map[string]any)[what] = is } //nolint:forcetypeassert // it is a test's
}

// TestARuleThatWasChangedIsBelievedFromThenOn asks that a policy which was edited, and edited back, vouches for nothing
// that was made before it was seen so: meanwhile it may have let anything pass.
func TestARuleThatWasChangedIsBelievedFromThenOn(t *testing.T) {
	now := fleet.InstantOf(ruled.Add(time.Hour))
	c := &authorController{shared: &shared{Options: Options{Now: func() fleet.Instant { return now }}}}
	policy := func(generation int64) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetUID("u")
		o.SetGeneration(generation)
		o.SetCreationTimestamp(metav1.NewTime(ruled))
		return o
	}
	if since := c.unchangedSince(policy(1)); since != fleet.InstantOf(ruled) {
		t.Errorf("one that was not changed is believed since %v", since.Time())
	}
	first := now
	for range 2 {
		if since := c.unchangedSince(policy(3)); since != first {
			t.Errorf("at %v one that was changed is believed since %v, want since it was seen so at %v", now.Time(), since.Time(), first.Time())
		}
		now = now.Add(time.Hour)
	}
	if since := c.unchangedSince(policy(4)); since != now {
		t.Errorf("one that was changed again is believed since %v", since.Time())
	}
}

// TestALongAuthorIsCut asks that a name of any length does no harm.
func TestALongAuthorIsCut(t *testing.T) {
	plane := &authorPlane{policy: ruling, binding: bound}
	if got := plane.authorFound(t, metaOf("p", "1", time.Minute, strings.Repeat("a", 100_000), "")); len(got) == 0 || len(got) > 1000 {
		t.Errorf("it has %d characters", len(got))
	}
}

// TestWhereAuthorsAreNoFactsNothingIsAsked asks an API server without the policy for nothing else.
func TestWhereAuthorsAreNoFactsNothingIsAsked(t *testing.T) {
	plane := &authorPlane{}
	plane.authorFound(t, metaOf("p", "1", time.Minute, "", "batch/v1 Job train 7"))
	if len(plane.asked) != 1 {
		t.Errorf("it asked for %v", plane.asked)
	}
}

// TestWhoMakesPodsIsInThePolicyTheRoleAndTheDoor compares the kinds that are asked with those that the policy
// guards, the role may read, and the agent passes on.
func TestWhoMakesPodsIsInThePolicyTheRoleAndTheDoor(t *testing.T) {
	var resources []string
	for kind, version := range makers {
		r := resourceOf(kind, version)
		resources = append(resources, r.Resource+"."+r.Group)
		if a := (aim{group: r.Group, resource: r.Resource, namespace: "oak", name: "one"}); !a.readable() {
			t.Errorf("the agent does not let %s be read", a.kind())
		}
	}
	for _, c := range []struct{ file, kind, name string }{
		{authorFile, "MutatingAdmissionPolicy", "muster-author-write"},
		{authorFile, "ValidatingAdmissionPolicy", "muster-author"},
		{"../../../deploy/kubernetes/rbac.yaml", "ClusterRole", "muster-author"},
	} {
		has := resourcesIn(t, c.file, c.kind, c.name)
		for _, r := range resources {
			if r != "pods." && !slices.Contains(has, r) || r == "pods." && c.kind != "ClusterRole" && !slices.Contains(has, r) {
				t.Errorf("%s %s does not name %s", c.kind, c.name, r)
			}
			if c.kind == "ValidatingAdmissionPolicy" && !slices.Contains(has, strings.Replace(r, ".", "/*.", 1)) {
				t.Errorf("%s %s leaves the parts of %s open", c.kind, c.name, r)
			}
		}
	}
	for kind := range makers {
		if data, err := os.ReadFile(authorFile); err != nil || !bytes.Contains(data, []byte("'"+kind.Kind+"'")) {
			t.Errorf("an object may be said to be of a %s without its author (%v)", kind.Kind, err)
		}
	}
}

// resourcesIn lists what the rules of an object in a file are about.
func resourcesIn(t *testing.T, file, kind, name string) (list []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for docs := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var is struct {
			Kind     string
			Metadata struct{ Name string }
			Rules    []map[string][]string
			Spec     struct {
				MatchConstraints struct {
					ResourceRules []map[string]any `yaml:"resourceRules"`
				} `yaml:"matchConstraints"`
			}
		}
		if err := docs.Decode(&is); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		if is.Kind != kind || is.Metadata.Name != name {
			continue
		}
		for _, r := range is.Rules {
			list = append(list, pairs(r["apiGroups"], r["resources"])...)
		}
		for _, r := range is.Spec.MatchConstraints.ResourceRules {
			list = append(list, pairs(texts(r["apiGroups"]), texts(r["resources"]))...)
		}
	}
}

func texts(of any) (list []string) {
	all, _ := of.([]any)
	for _, x := range all {
		list = append(list, fmt.Sprint(x))
	}
	return list
}

func pairs(groups, resources []string) (list []string) {
	for _, g := range groups {
		for _, r := range resources {
			list = append(list, r+"."+g)
		}
	}
	return list
}
