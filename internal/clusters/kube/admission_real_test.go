package kube

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/clusters/kube/webhook"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// admitted is what admission makes of a pod, as far as Muster cares.
type admitted struct {
	Refused           bool
	Gates             []string
	PriorityClassName string
	Priority          int
	PreemptionPolicy  string
}

// admits asks the API server what it would make of a pod.
func (w *world) admits(p kubetest.JSON) (a admitted) {
	w.t.Helper()
	var made struct {
		Spec struct {
			SchedulingGates   []struct{ Name string }
			PriorityClassName string
			Priority          int
			PreemptionPolicy  string
		}
	}
	namespace := p["metadata"].(kubetest.JSON)["namespace"].(string)
	if err := w.c.Call(w.ctx, http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods?dryRun=All", p, &made); err != nil {
		return admitted{Refused: true}
	}
	for _, g := range made.Spec.SchedulingGates {
		a.Gates = append(a.Gates, g.Name)
	}
	a.PriorityClassName, a.Priority, a.PreemptionPolicy = made.Spec.PriorityClassName, made.Spec.Priority, made.Spec.PreemptionPolicy
	return a
}

// ownCertificate is a certificate for loopback that signs itself, as files.
func ownCertificate(t *testing.T) (cert, key string, bundle []byte) {
	t.Helper()
	dir := t.TempDir()
	if err := kubetest.WriteCertificate(dir); err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	bundle, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key, bundle
}

// hooked lets a webhook answer for the namespaces with a label, and returns what ends it.
func (w *world) hooked(label, failurePolicy string) (stop func()) {
	w.t.Helper()
	cert, key, bundle := ownCertificate(w.t)
	l, err := (&net.ListenConfig{}).Listen(w.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, end := context.WithCancel(w.ctx)
	done := make(chan error, 1)
	go func() { done <- webhook.Options{Direct: w.direct()}.Serve(ctx, l, cert, key) }()
	const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
	name := "muster-" + label
	hook := w.document("../../../deploy/kubernetes/webhook.yaml", "MutatingWebhookConfiguration")
	hook["metadata"].(kubetest.JSON)["name"] = name
	for _, one := range hook["webhooks"].([]any) {
		one := one.(kubetest.JSON)
		one["clientConfig"] = kubetest.JSON{"url": "https://" + l.Addr().String() + "/admit", "caBundle": base64.StdEncoding.EncodeToString(bundle)}
		one["namespaceSelector"] = kubetest.JSON{"matchLabels": kubetest.JSON{label: "true"}}
		one["failurePolicy"] = failurePolicy
	}
	w.call(http.MethodPost, path, hook, nil)
	w.t.Cleanup(func() { _ = w.c.Call(context.Background(), http.MethodDelete, path+"/"+name, nil, nil) })
	return func() {
		end()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

// TestAdmissionByPolicyAndByWebhook gives the same pods to the policy and to the webhook,
// on the same API server, and asks for the same result of both.
func TestAdmissionByPolicyAndByWebhook(t *testing.T) {
	w := yielding(t, 1, 1, map[string]int{"oak": 8})
	for name, label := range map[string]string{"hook": "hooked", "closed": "hooked-closed", "open": "hooked-open"} {
		w.namespace(name, 0)
		w.call(http.MethodPatch, "/api/v1/namespaces/"+name, kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{label: "true"}}}, nil)
	}
	defer w.hooked("hooked", "Fail")()
	table := []struct {
		what string
		make func(p kubetest.JSON)
		want admitted
	}{
		{"a pod with a target", func(p kubetest.JSON) { target(p, "oak") }, managedPod()},
		{"one with annotations", func(p kubetest.JSON) { target(p, "oak", translate.AnnotationReplicas, "2..8") }, managedPod()},
		{"one without a target", func(kubetest.JSON) {}, admitted{PreemptionPolicy: "PreemptLowerPriority"}},
		{"one without GPUs", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["containers"] = []kubetest.JSON{{"name": "main", "image": "none"}}
		}, admitted{PreemptionPolicy: "PreemptLowerPriority"}},
		{"GPUs in a first step only", func(p kubetest.JSON) {
			target(p, "oak")
			spec := p["spec"].(kubetest.JSON)
			spec["initContainers"] = []kubetest.JSON{{"name": "first", "image": "none", "resources": kubetest.JSON{"limits": kubetest.JSON{"nvidia.com/gpu": "1"}}}}
			spec["containers"] = []kubetest.JSON{{"name": "main", "image": "none"}}
		}, managedPod()},
		{"one of importance of its own", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["priorityClassName"] = "system-node-critical"
		}, managedPod()},
		{"one with another gate", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["schedulingGates"] = []kubetest.JSON{{"name": "example.com/data"}}
		}, managedPod("example.com/data", translate.Gate)},
		{"one that is gated already", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["schedulingGates"] = []kubetest.JSON{{"name": translate.Gate}}
		}, managedPod()},
		{"one that says where it was started", func(p kubetest.JSON) { target(p, "oak", translate.AnnotationNode, "i0-n000") }, admitted{Refused: true}},
		{"one that is bound already", func(p kubetest.JSON) {
			target(p, "oak")
			p["spec"].(kubetest.JSON)["nodeName"] = "i0-n000"
		}, admitted{Refused: true}},
	}
	for _, c := range table {
		for _, namespace := range []string{"oak", "hook"} {
			p := kubetest.Pod(namespace, "p", 8)
			c.make(p)
			// The API server takes a moment to know a webhook.
			w.eventually(30*time.Second, c.what+" in "+namespace, func() string {
				if got := w.admits(p); !reflect.DeepEqual(got, c.want) {
					return fmt.Sprintf("%+v, want %+v", got, c.want)
				}
				return ""
			})
		}
	}
	w.hooked("hooked-closed", "Fail")()
	w.hooked("hooked-open", "Ignore")()
	w.eventually(30*time.Second, "a refusal while nobody answers, failing closed", func() string {
		if a := w.admits(target(kubetest.Pod("closed", "p", 8), "oak")); !a.Refused {
			return fmt.Sprintf("%+v", a)
		}
		return ""
	})
	if a := w.admits(target(kubetest.Pod("open", "p", 8), "oak")); a.Refused || len(a.Gates) > 0 {
		t.Errorf("nobody answers, failing open: %+v", a)
	}
}

// managedPod is a pod that waits for Muster, by these gates.
func managedPod(gates ...string) admitted {
	if gates == nil {
		gates = []string{translate.Gate}
	}
	return admitted{Gates: gates, PriorityClassName: "muster-managed", Priority: 1000000, PreemptionPolicy: "Never"}
}

// TestKubeSchedulerNeverPreemptsForAManagedPod lets a pod without GPUs, which Muster
// does not see, hold what the only node has of something else. A managed pod waits for
// it in its queue, and says so, though it comes first by its class.
func TestKubeSchedulerNeverPreemptsForAManagedPod(t *testing.T) {
	w := yielding(t, 1, 1, map[string]int{"oak": 8, "other": 0})
	big := func(p kubetest.JSON, cpu string) kubetest.JSON {
		amounts := p["spec"].(kubetest.JSON)["containers"].([]kubetest.JSON)[0]["resources"].(kubetest.JSON)
		amounts["requests"].(kubetest.JSON)["cpu"] = cpu
		return p
	}
	web := kubetest.Pod("other", "web", 1)
	web["spec"].(kubetest.JSON)["containers"] = []kubetest.JSON{{"name": "main", "image": "none", "resources": kubetest.JSON{"requests": kubetest.JSON{"cpu": "150"}}}}
	w.pod(web)
	w.eventually(2*time.Minute, "the pod without GPUs", w.runs("other", 1))
	w.pod(big(target(kubetest.Pod("oak", "train", 8), "oak"), "100"))
	w.eventually(2*time.Minute, "a word that it cannot be bound", func() string {
		for _, p := range w.pods("oak") {
			for _, c := range p.Status.Conditions {
				if c.Type == translate.Condition && c.Status == "False" && c.Reason == "DoesNotFit" && strings.Contains(c.Message, "insufficient cpu") {
					return ""
				}
			}
		}
		return w.whyWaiting("oak")
	})
	if lacks := w.runs("other", 1)(); lacks != "" {
		t.Errorf("it was preempted: %s", lacks)
	}
	w.call(http.MethodDelete, "/api/v1/namespaces/other/pods/web", nil, nil)
	w.eventually(2*time.Minute, "the managed pod", w.runs("oak", 1))
	w.sound()
}

// TestUnmanagedGPUPodsAreToldOrRefused makes pods with a target where no agent is enrolled
// the namespace: they run as others', are told so, and the optional policy refuses them.
func TestUnmanagedGPUPodsAreToldOrRefused(t *testing.T) {
	w := managing(t, 1, 2, map[string]int{"oak": 16, "wild": -1})
	w.pod(target(kubetest.Pod("wild", "loose", 2), "oak"))
	w.pod(kubetest.Pod("wild", "plain", 1))
	w.eventually(2*time.Minute, "both run", w.runs("wild", 2))
	w.eventually(time.Minute, "a word to the one with a target", func() string { return w.told("wild", "loose", "NotEnrolled") })
	w.eventually(time.Minute, "an event", func() string { return w.noted("wild", "Pod", "loose") })
	w.eventually(time.Minute, "a count", func() string {
		if f := w.agent.Foreign(); f.Pods != 2 || f.GPUs != 3 || f.Targeted != 1 {
			return fmt.Sprintf("%+v", f)
		}
		return ""
	})
	w.read(func(s *fleet.State) {
		if x := s.Workload("wild", "loose"); x != nil {
			t.Errorf("it became a workload: %+v", x)
		}
	})
	w.manifest("../../../deploy/kubernetes/refuse-unmanaged.yaml")
	t.Cleanup(func() {
		for _, path := range []string{"validatingadmissionpolicybindings", "validatingadmissionpolicies"} {
			_ = w.c.Call(context.Background(), http.MethodDelete, "/apis/admissionregistration.k8s.io/v1/"+path+"/muster-refuse-unmanaged", nil, nil)
		}
	})
	refused := func(p kubetest.JSON) string {
		if a := w.admits(p); !a.Refused {
			return fmt.Sprintf("it may pass: %+v", a)
		}
		return ""
	}
	w.eventually(time.Minute, "a refusal where the namespace is not enrolled", func() string { return refused(target(kubetest.Pod("wild", "p", 1), "oak")) })
	w.eventually(time.Minute, "a refusal without a target", func() string { return refused(kubetest.Pod("oak", "p", 1)) })
	forged := kubetest.Pod("oak", "p", 1)
	forged["metadata"].(kubetest.JSON)["ownerReferences"] = []kubetest.JSON{{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "exporter", "uid": "u", "controller": true}}
	w.eventually(time.Minute, "a refusal of a pod that a DaemonSet did not make", func() string { return refused(forged) })
	past := target(kubetest.Pod("oak", "p", 1), "oak")
	past["spec"].(kubetest.JSON)["nodeName"] = "i0-n000"
	w.eventually(time.Minute, "a refusal of a pod that names its node", func() string { return refused(past) })
	if a := w.admits(target(kubetest.Pod("oak", "p", 1), "oak")); a.Refused {
		t.Error("a managed pod is refused")
	}
}
