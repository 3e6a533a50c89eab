package kube

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/driver/kube/kubetest"
	"github.com/muster-fleet/muster/internal/fleet"
)

func (w *world) suspended(namespace, name string) bool {
	w.t.Helper()
	var is struct{ Spec struct{ Suspend bool } }
	w.call(http.MethodGet, "/apis/batch/v1/namespaces/"+namespace+"/jobs/"+name, nil, &is)
	return is.Spec.Suspend
}

// TestASuspendedJobIsQueued makes a Job suspended. It waits without any pod, starts
// when it may, is suspended again when others need its room, and comes back.
func TestASuspendedJobIsQueued(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 24, "elm": 0})
	w.job(job("oak", "first", 3, "oak"))
	w.eventually(2*time.Minute, "a full fleet", w.runs("oak", 3))

	j := job("elm", "sweep", 2, "flex")
	j["spec"].(kubetest.JSON)["suspend"] = true
	w.job(j)
	w.eventually(time.Minute, "that it waits", func() string {
		if s := w.state("elm", "sweep"); s != fleet.Pending {
			return fmt.Sprintf("it is %q", s)
		}
		return ""
	})
	w.eventually(time.Minute, "a word about why", func() string { return w.noted("elm", "Job", "sweep") })
	if !w.suspended("elm", "sweep") || len(w.pods("elm")) > 0 {
		t.Error("it was started though there is no room")
	}
	w.finish("oak", "first")
	w.eventually(2*time.Minute, "the sweep", w.runs("elm", 2))
	if w.suspended("elm", "sweep") {
		t.Error("it runs and is suspended")
	}

	w.job(job("oak", "second", 3, "oak"))
	w.eventually(2*time.Minute, "the job that needs the room", w.runs("oak", 3))
	w.eventually(time.Minute, "a suspended sweep without pods", func() string {
		if !w.suspended("elm", "sweep") {
			return "it is not suspended"
		}
		if n := len(w.pods("elm")); n > 0 {
			return fmt.Sprintf("%d pods", n)
		}
		return ""
	})
	w.oneCopyPerGPU()
	w.finish("oak", "second")
	w.eventually(2*time.Minute, "the sweep again", w.runs("elm", 2))
	w.finish("elm", "sweep")
	w.eventually(2*time.Minute, "its end", func() string {
		if s := w.state("elm", "sweep"); s != fleet.Finished {
			return "it is " + string(s)
		}
		return ""
	})
	w.sound()
}

// noted asks for an event of Muster's about an object.
func (w *world) noted(namespace, kind, name string) string {
	var list struct {
		Items []struct {
			Reason, Message string
			Source          struct{ Component string }
			InvolvedObject  struct{ Kind, Name string }
		}
	}
	w.call(http.MethodGet, "/api/v1/namespaces/"+namespace+"/events", nil, &list)
	for _, e := range list.Items {
		if e.Source.Component == "muster" && e.InvolvedObject.Kind == kind && e.InvolvedObject.Name == name && e.Message != "" {
			return ""
		}
	}
	return fmt.Sprintf("no event about %s %s: %v", kind, name, list.Items)
}
