package kube

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// at lets the agent look, so much later, at nothing but these pods.
func (h *house) at(later time.Duration, pods ...translate.Pod) {
	h.now = h.now.Add(later)
	h.pods, h.shown = slices.Clone(pods), slices.Clone(pods)
	h.round()
	h.do(core.Tick{})
}

func (h *house) is(name string, want fleet.WorkloadState) {
	h.t.Helper()
	h.e.Read(func(s *fleet.State) {
		if w := s.Workload("oak", name); w == nil || w.State != want {
			h.t.Errorf("%s is %v, want %s", name, w, want)
		}
	})
}

// Work that was taken back because its pods were gone is new when they come again,
// whether or not the agent began anew meanwhile: so does a suspended Job whose namespace
// is enrolled again. What a person took back stays so.
func TestWhatWasLetGoIsNewToALaterAgent(t *testing.T) {
	for _, by := range []string{"the same agent", "a later agent", "a person, and a later agent"} {
		t.Run(by, func(t *testing.T) {
			h := newHouseWith(t, 1)
			defer func() { _ = h.e.Close() }()
			pod := translate.Pod{
				Namespace: "oak", Name: "sweep-0", UID: "1", GPUs: 8, Gated: true, Virtual: true, Created: h.now, Owner: translate.Owner{Kind: "Job", Name: "sweep", UID: "u", Size: 1},
				Wishes: translate.Wishes{Target: "q", Priority: fleet.Mid, Times: translate.Times{Grace: time.Minute}, Partition: "tiger/h200"},
			}
			h.do(core.SetMode{Cluster: "tiger", Mode: fleet.Shadow}) // so that it waits
			h.at(2*time.Second, pod)
			h.is("sweep", fleet.Pending)
			if by == "a person, and a later agent" {
				h.do(core.SetMode{Cluster: "tiger", Mode: fleet.Enforce})
				h.do(core.Cancel{Namespace: "oak", Name: "sweep"})
				h.do(core.SetMode{Cluster: "tiger", Mode: fleet.Shadow})
			}
			h.at(time.Second)
			h.at(11 * time.Second)
			h.is("sweep", fleet.Cancelled)
			want := fleet.Pending
			if by != "the same agent" {
				h.restart()
			}
			if by == "a person, and a later agent" {
				want = fleet.Cancelled
			}
			h.at(time.Second, pod)
			h.is("sweep", want)
		})
	}
}

// A pod without an owner is not made again once it was evicted: its workload ends at once. A
// pod that names its workload may be one of several that a program of its team makes, and
// a pod that a user deleted may be replaced: for those Muster waits a little longer.
func TestAPodWithoutAnOwnerIsEvictedForGood(t *testing.T) {
	for _, c := range []struct {
		what, named string
		evicted     bool
		after       time.Duration // it still waits, if it was not taken back at once
	}{{"evicted", "", true, 0}, {"evicted, of a named workload", "one", true, 9 * time.Second}, {"deleted", "", false, 9 * time.Second}} {
		t.Run(c.what, func(t *testing.T) {
			h := newHouseWith(t, 1)
			defer func() { _ = h.e.Close() }()
			pod := translate.Pod{
				Namespace: "oak", Name: "one", UID: "1", GPUs: 8, Gated: true, Created: h.now, Index: -1,
				Wishes: translate.Wishes{Target: "flex", Workload: c.named, Priority: fleet.Mid, Times: translate.Times{Grace: time.Minute}},
			}
			h.at(2*time.Second, pod)
			h.at(time.Second, pod)
			h.is("one", fleet.RunningW)
			if c.evicted {
				h.do(core.Submit{Spec: fleet.Spec{Namespace: "elm", Name: "all", Target: fleet.Flex, Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 3, Max: 3, Reach: fleet.ReachAny}}}})
				h.do(core.SetGrant{Quota: "q", Partition: "tiger/h200", GPUs: 56})
				h.do(core.Submit{Spec: fleet.Spec{Namespace: "oak", Name: "quota", Target: "q", Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 7, Max: 7, Reach: fleet.ReachAny}}}})
				h.e.Read(func(s *fleet.State) {
					if w := s.Workload("oak", "one"); w.State != fleet.Evicting {
						t.Fatalf("it is %s", w.State)
					}
				})
			}
			h.at(2 * time.Second)
			h.at(time.Second)
			if c.after == 0 {
				h.is("one", fleet.Cancelled)
				return
			}
			var state fleet.WorkloadState
			h.e.Read(func(s *fleet.State) { state = s.Workload("oak", "one").State })
			if state == fleet.Cancelled {
				t.Errorf("it was taken back at once")
			}
			h.at(c.after)
			h.at(time.Second)
			h.is("one", fleet.Cancelled)
		})
	}
}
