package kube

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
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

// TestAJobComesBackWithWhatItHasLeft evicts Jobs of which a part has finished, one by
// suspending it: they come back as smaller gangs, which what has finished is no part of.
func TestAJobComesBackWithWhatItHasLeft(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 24, "elm": 0})
	for _, suspended := range []bool{true, false} {
		name := fmt.Sprintf("sweep-%t", suspended)
		j := job("elm", name, 3, "flex")
		j["spec"].(kubetest.JSON)["suspend"] = suspended
		w.job(j)
		w.eventually(2*time.Minute, "all three", w.runs("elm", 3))
		w.finish("elm", name+"-0")
		w.eventually(2*time.Minute, "that one has finished", func() string {
			var is struct{ Status struct{ Succeeded int } }
			w.call(http.MethodGet, "/apis/batch/v1/namespaces/elm/jobs/"+name, nil, &is)
			if is.Status.Succeeded != 1 {
				return fmt.Sprintf("%d have", is.Status.Succeeded)
			}
			return ""
		})
		w.job(job("oak", "first-"+name, 3, "oak"))
		w.eventually(2*time.Minute, "the job that needs the room", w.runs("oak", 3))
		if w.suspended("elm", name) != suspended {
			t.Errorf("%s is not as it should be while others have its room", name)
		}
		w.finish("oak", "first-"+name)
		w.eventually(2*time.Minute, "the other two again", w.sized("elm", name, 2))
		w.sound()
		w.finish("elm", name)
		w.eventually(2*time.Minute, "its end", func() string {
			if s := w.state("elm", name); s != fleet.Finished {
				return "it is " + string(s)
			}
			return ""
		})
	}
}

// TestWhatIsNotEnrolledAnyMoreKeepsNoRoom takes a namespace out of Muster's hands while
// a suspended Job of it waits. It waits no longer, and is new when the namespace is back,
// a pod that has begun anew meanwhile.
func TestWhatIsNotEnrolledAnyMoreKeepsNoRoom(t *testing.T) {
	w := managing(t, 1, 2, map[string]int{"oak": 16, "elm": 0})
	w.job(job("oak", "first", 2, "oak"))
	w.eventually(2*time.Minute, "a full fleet", w.runs("oak", 2))
	j := job("elm", "sweep", 2, "flex")
	j["spec"].(kubetest.JSON)["suspend"] = true
	w.job(j)
	is := func(want fleet.WorkloadState) func() string {
		return func() string {
			if s := w.state("elm", "sweep"); s != want {
				return fmt.Sprintf("it is %q", s)
			}
			return ""
		}
	}
	enrol := func(label any) {
		w.call(http.MethodPatch, "/api/v1/namespaces/elm", kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": label}}}, nil)
	}
	w.eventually(time.Minute, "that it waits", is(fleet.Pending))
	enrol(nil)
	w.eventually(time.Minute, "that it does not", is(fleet.Cancelled))
	w.restart(fleet.Enforce)
	enrol("true")
	w.eventually(time.Minute, "that it waits again", is(fleet.Pending))
	w.finish("oak", "first")
	w.eventually(2*time.Minute, "the sweep", w.runs("elm", 2))
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
