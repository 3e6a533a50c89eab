package stage

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const (
	// staysFinalizer keeps a deleted pod until the story lets it go.
	staysFinalizer = "test.muster.dev/stays"
	// endsAnnotation with "succeeds" or "fails" behind it makes kwok end a pod so.
	endsAnnotation = "test.muster.dev/"
)

// pod is a pod of the story as the API server has it.
type pod struct {
	Namespace, Name, UID string
	DeletionTimestamp    string
	Finalizers           []string
	Labels, Annotations  map[string]string
	waits                bool   // for Muster
	bound                string // node that the API server says; "": not bound
	phase                string
}

func (p *pod) workload() workload { return workload{p.Namespace, p.Labels[translate.LabelWorkload]} }
func (p *pod) path() string       { return "/api/v1/namespaces/" + p.Namespace + "/pods/" + p.Name }
func (p *pod) ended() bool        { return p.phase == "Succeeded" || p.phase == "Failed" }
func (p *pod) deleted() bool      { return p.DeletionTimestamp != "" }

// node is where the pod is, or will be.
func (p *pod) node() string {
	if p.bound == "" && !p.waits {
		return p.Annotations[translate.AnnotationNode]
	}
	return p.bound
}

// list lists all pods of the story by path.
func (s *Stage) list(ctx context.Context) (pods []pod, err error) {
	var all struct {
		Items []struct {
			Metadata pod
			Spec     struct {
				NodeName, SchedulerName string
				SchedulingGates         []object
			}
			Status struct{ Phase string }
		}
	}
	if err := s.cluster.admin.Call(ctx, http.MethodGet, "/api/v1/pods?labelSelector="+storyLabel, nil, &all); err != nil {
		return nil, err
	}
	for _, p := range all.Items {
		is := p.Metadata
		is.bound, is.phase = p.Spec.NodeName, p.Status.Phase
		is.waits = is.bound == "" && (len(p.Spec.SchedulingGates) > 0 || p.Spec.SchedulerName == translate.Scheduler)
		pods = append(pods, is)
	}
	slices.SortFunc(pods, func(a, b pod) int { return strings.Compare(a.path(), b.path()) })
	return pods, nil
}

// release removes the finalizer of a pod, and deletes the pod where it must go now.
func (s *Stage) release(ctx context.Context, p pod, now bool) error {
	err := s.cluster.admin.Call(ctx, http.MethodPatch, p.path(), object{"metadata": object{"finalizers": nil}}, nil)
	if err == nil && now {
		err = s.cluster.admin.Call(ctx, http.MethodDelete, p.path()+"?gracePeriodSeconds=0", nil, nil)
	}
	if plain.CodeOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// letLeave releases the deleted pods whose programs have stopped.
func (s *Stage) letLeave(ctx context.Context, of *driver.Stopped) error {
	var key workload
	var pools []fleet.Pool
	var names []string
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workloads[of.ID]; w != nil && w.At() != nil {
			key, pools = workload{w.Namespace, w.Name}, w.Pools
			for _, n := range w.At().Nodes {
				names = append(names, n.Name)
			}
		}
	})
	pods, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if !p.deleted() || p.workload() != key {
			continue
		}
		is := func(spot fleet.Spot) bool {
			return pools[spot.Pool].Name == p.Labels[translate.LabelPool] && slices.ContainsFunc(spot.Nodes, func(n int) bool { return names[n] == p.node() })
		}
		if slices.ContainsFunc(of.Spots, is) {
			if err := s.release(ctx, p, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// end ends all pods of a workload; how is "succeeds" or "fails".
func (s *Stage) end(ctx context.Context, id uint64, how string) error {
	var key workload
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workloads[id]; w != nil {
			key = workload{w.Namespace, w.Name}
		}
	})
	if c := s.controllers[key]; c != nil {
		c.stopped = true
	}
	pods, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		switch {
		case p.workload() != key:
		case p.waits || p.deleted():
			err = s.release(ctx, p, true)
		default:
			err = s.cluster.admin.Call(ctx, http.MethodPatch, p.path(), object{"metadata": object{"annotations": object{endsAnnotation + how: "now"}}}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
