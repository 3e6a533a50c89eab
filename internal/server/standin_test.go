package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// standIn is a cluster's API server with the little that Muster asks of one, and what makes and
// runs pods behind it. It keeps what it was asked to carry out, and in which term the server leads
// that asked. A pod's UID is the key of its start and of its stop: pods start once.
type standIn struct {
	t    *testing.T
	name string
	http *httptest.Server
	quit chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed when something is new
	version int
	kept    map[string]map[string]metav1.Object // by kind, and by namespace and name
	log     map[string][]change                 // by kind
	pods    map[types.UID]*carriedOut
	term    int64 // the newest that was heard
	made    int
	again   int // starts and stops that were asked for once more, and led to nothing
	old     int // calls of an older term that came after one of a newer term
	strange []string
}

// change is what a watch says.
type change struct {
	version int
	text    []byte
}

// carriedOut is what was done with one pod.
type carriedOut struct {
	workload, node   string
	started, stopped int   // how often it was
	term             int64 // in which it was started
	startedAt        time.Time
	lives            time.Duration // 0: for ever
}

// standInNodes is how many nodes of 8 GPUs a stand-in has.
const standInNodes = 16

func newStandIn(t *testing.T, name string) *standIn {
	c := &standIn{t: t, name: name, quit: make(chan struct{}), changed: make(chan struct{}), kept: map[string]map[string]metav1.Object{}, log: map[string][]change{}, pods: map[types.UID]*carriedOut{}}
	for _, kind := range []string{"nodes", "pods", "namespaces"} {
		c.kept[kind] = map[string]metav1.Object{}
	}
	for i := range standInNodes {
		text, _ := json.Marshal(kubetest.Node(fmt.Sprintf("n%02d", i), "NVIDIA-H100", "a", "r1"))
		n := &corev1.Node{}
		if err := json.Unmarshal(text, n); err != nil {
			t.Fatal(err)
		}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		c.put("nodes", n)
	}
	c.put("namespaces", &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: types.UID("uid-" + name)}})
	c.http = httptest.NewServer(c)
	t.Cleanup(func() { close(c.quit); c.http.CloseClientConnections(); c.http.Close() })
	return c
}

// kubeconfig is how an agent reaches it.
func (c *standIn) kubeconfig() string {
	return fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\nusers: [{name: x, user: {}}]\n", c.http.URL)
}

// put keeps an object as it is now, and tells watches; c.mu is held, but at the beginning.
func (c *standIn) put(kind string, of metav1.Object) {
	key := of.GetNamespace() + "/" + of.GetName()
	how := "ADDED"
	if c.kept[kind][key] != nil {
		how = "MODIFIED"
	}
	c.kept[kind][key] = of
	c.tell(how, kind, of)
}

func (c *standIn) drop(kind string, of metav1.Object) {
	delete(c.kept[kind], of.GetNamespace()+"/"+of.GetName())
	c.tell("DELETED", kind, of)
}

func (c *standIn) tell(how, kind string, of metav1.Object) {
	c.version++
	of.SetResourceVersion(strconv.Itoa(c.version))
	text, err := json.Marshal(map[string]any{"type": how, "object": of})
	if err != nil {
		c.t.Error(err)
	}
	c.log[kind] = append(c.log[kind], change{c.version, append(text, '\n')})
	close(c.changed)
	c.changed = make(chan struct{})
}

// ServeHTTP answers as an API server does.
func (c *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	c.hear(r)
	if r.URL.Path == "/livez" {
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/"), "/")
	namespace := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	switch kind := parts[0]; {
	case r.Method == http.MethodPost && kind == "events":
		_, _ = io.WriteString(w, `{"kind":"Event","apiVersion":"v1"}`)
	case c.kept[kind] == nil:
		fails(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.Method == http.MethodGet && len(parts) == 1 && r.URL.Query().Get("watch") != "":
		c.watch(w, r, kind)
	case r.Method == http.MethodGet && len(parts) == 1:
		c.list(w, kind)
	default:
		body, _ := io.ReadAll(r.Body)
		c.one(w, r, kind, namespace+"/"+parts[1], strings.Join(parts[2:], "/"), body)
	}
}

func fails(w http.ResponseWriter, code int, why metav1.StatusReason) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: why})
}

func (c *standIn) list(w http.ResponseWriter, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	items := []metav1.Object{}
	for _, of := range c.kept[kind] {
		items = append(items, of)
	}
	names := map[string]string{"nodes": "NodeList", "pods": "PodList", "namespaces": "NamespaceList"}
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": names[kind], "apiVersion": "v1", "metadata": map[string]string{"resourceVersion": strconv.Itoa(c.version)}, "items": items})
}

func (c *standIn) watch(w http.ResponseWriter, r *http.Request, kind string) {
	if r.URL.Query().Get("sendInitialEvents") != "" { // then it is listed first
		fails(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	for {
		c.mu.Lock()
		at, _ := slices.BinarySearchFunc(c.log[kind], from+1, func(x change, v int) int { return x.version - v })
		news, changed := slices.Clone(c.log[kind][at:]), c.changed
		c.mu.Unlock()
		for _, x := range news {
			from = x.version
			if _, err := w.Write(x.text); err != nil {
				return
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-c.quit:
			return
		case <-changed:
		}
	}
}

// one answers a call about one object.
func (c *standIn) one(w http.ResponseWriter, r *http.Request, kind, key, part string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	is := c.kept[kind][key]
	pod, _ := is.(*corev1.Pod)
	if r.Method != http.MethodGet && pod != nil && c.pods[pod.UID] == nil {
		c.strange = append(c.strange, "a pod that was never made: "+pod.Name)
	}
	call := r.Method + " " + kind + "/" + part
	switch {
	case is == nil:
		fails(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	case r.Method == http.MethodGet:
	case call == "PATCH pods/" || call == "PATCH pods/status":
		if !c.patch(pod, body) {
			fails(w, http.StatusConflict, metav1.StatusReasonConflict)
			return
		}
	case call == "POST pods/binding":
		if !c.bind(pod, body) {
			fails(w, http.StatusConflict, metav1.StatusReasonConflict)
			return
		}
	case call == "POST pods/eviction" || call == "DELETE pods/":
		if !c.stop(pod, body) {
			fails(w, http.StatusConflict, metav1.StatusReasonConflict)
			return
		}
	default:
		c.strange = append(c.strange, call+" "+key+" "+string(body))
	}
	_ = json.NewEncoder(w).Encode(is)
}

// hear holds the term of who asks against the newest heard. What an agent asks by itself has none.
func (c *standIn) hear(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	term, err := strconv.ParseInt(r.Header.Get("Muster-Term"), 10, 64)
	switch {
	case err == nil && term < c.term:
		c.old++
	case err == nil:
		c.term = term
	case r.Method != http.MethodGet:
		c.strange = append(c.strange, r.Method+" "+r.URL.Path+" names no term")
	}
}

// patch merges what Muster writes to a pod, and starts the pod where that takes its gate away.
func (c *standIn) patch(p *corev1.Pod, body []byte) bool {
	var is struct {
		Metadata struct {
			UID         types.UID
			Annotations map[string]string
		}
		Spec struct {
			SchedulingGates []struct{ Name string }
			Affinity        *corev1.Affinity
		}
		Status struct{ Conditions []corev1.PodCondition }
	}
	if err := json.Unmarshal(body, &is); err != nil || is.Metadata.UID != p.UID {
		return false
	}
	to := p.DeepCopy()
	if len(is.Spec.SchedulingGates) > 0 {
		node := is.Metadata.Annotations[translate.AnnotationNode]
		if !c.start(p, node, len(p.Spec.SchedulingGates) > 0) {
			return true // as it was before
		}
		to.Spec.SchedulingGates, to.Spec.Affinity = nil, is.Spec.Affinity
	}
	for k, v := range is.Metadata.Annotations {
		to.Annotations[k] = v
	}
	for _, x := range is.Status.Conditions {
		to.Status.Conditions = append(slices.DeleteFunc(to.Status.Conditions, func(o corev1.PodCondition) bool { return o.Type == x.Type }), x)
	}
	c.put("pods", to)
	return true
}

// start notes that a pod is to start on a node; it returns whether it does by that.
func (c *standIn) start(p *corev1.Pod, node string, waits bool) bool {
	is := c.pods[p.UID]
	if !waits {
		c.again++
		if node != is.node {
			c.strange = append(c.strange, fmt.Sprintf("pod %s, which was started on %s, is to start on %s", p.Name, is.node, node))
		}
		return false
	}
	is.started++
	is.node, is.term, is.startedAt = node, c.term, time.Now()
	return true
}

// bind starts a pod that names Muster as its scheduler.
func (c *standIn) bind(p *corev1.Pod, body []byte) bool {
	is, ok := decoded(body).(*corev1.Binding)
	if !ok || is.UID != p.UID || !c.start(p, is.Target.Name, p.Spec.NodeName == "") {
		return false
	}
	to := p.DeepCopy()
	for k, v := range is.Annotations {
		to.Annotations[k] = v
	}
	to.Spec.NodeName = is.Target.Name
	c.put("pods", to)
	return true
}

// stop lets a pod leave.
func (c *standIn) stop(p *corev1.Pod, body []byte) bool {
	options, _ := decoded(body).(*metav1.DeleteOptions)
	if is, ok := decoded(body).(*policyv1.Eviction); ok {
		options = is.DeleteOptions
	}
	if options == nil || options.Preconditions == nil || *options.Preconditions.UID != p.UID {
		return false
	}
	if p.DeletionTimestamp != nil {
		c.again++
		return true
	}
	c.pods[p.UID].stopped++
	to := p.DeepCopy()
	to.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	c.put("pods", to)
	return true
}

// standInBodies reads what is written besides patches.
var standInBodies = sync.OnceValue(func() runtime.Decoder {
	scheme := runtime.NewScheme()
	_, _ = corev1.AddToScheme(scheme), policyv1.AddToScheme(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
})

func decoded(body []byte) runtime.Object {
	is, _, _ := standInBodies().Decode(body, nil, nil)
	return is
}

// gang makes the pods of a workload, which wait for Muster by a gate, or for its binding.
func (c *standIn) gang(name string, pods int, binds bool, lives time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range pods {
		text, _ := json.Marshal(kubetest.Pod("oak", fmt.Sprintf("%s-%d", name, i), 4))
		p := &corev1.Pod{}
		if err := json.Unmarshal(text, p); err != nil {
			c.t.Error(err)
		}
		c.made++
		p.UID, p.CreationTimestamp = types.UID(fmt.Sprintf("%s-%d", c.name, c.made)), metav1.Now()
		p.Labels = map[string]string{translate.LabelTarget: "flex", translate.LabelWorkload: name}
		p.Annotations = map[string]string{translate.AnnotationReplicas: strconv.Itoa(pods)}
		if p.Status.Phase = corev1.PodPending; binds {
			p.Spec.SchedulerName = translate.Scheduler
		} else {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: translate.Gate}}
		}
		c.pods[p.UID] = &carriedOut{workload: "oak@" + c.name + "/" + name, lives: lives}
		c.put("pods", p)
	}
}

// live does for a moment what kube-scheduler and the kubelets do: pods that were started run, end,
// and are gone once they were stopped.
func (c *standIn) live() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range c.kept["pods"] {
		p, is := of.(*corev1.Pod).DeepCopy(), c.pods[of.GetUID()]
		switch {
		case p.DeletionTimestamp != nil:
			c.drop("pods", p)
		case is.started > 0 && p.Status.Phase == corev1.PodPending:
			p.Spec.NodeName, p.Status.Phase = is.node, corev1.PodRunning
			c.put("pods", p)
		case p.Status.Phase == corev1.PodRunning && is.lives > 0 && time.Since(is.startedAt) > is.lives:
			p.Status.Phase = corev1.PodSucceeded
			c.put("pods", p)
		}
	}
}

// runs is which workloads run, each with the nodes of its pods, each node once.
func (c *standIn) runs() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	runs := map[string][]string{}
	for _, of := range c.kept["pods"] {
		if p, is := of.(*corev1.Pod), c.pods[of.GetUID()]; p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
			runs[is.workload] = append(runs[is.workload], is.node+"@"+c.name)
		}
	}
	for name, nodes := range runs {
		runs[name] = slices.Compact(slices.Sorted(slices.Values(nodes)))
	}
	return runs
}
