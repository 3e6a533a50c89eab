package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Rest reconciles until nothing changes any more: what the cluster shows is what Muster
// decided.
func (s *Stage) Rest(ctx context.Context) error {
	until := time.Now().Add(s.cluster.Patience)
	for {
		why, err := s.round(ctx)
		if err != nil || why == "" {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("the cluster does not come to rest: %s", why)
		}
		time.Sleep(20 * time.Millisecond) // the cluster is another process: there is nothing to wait on
	}
}

// round does once what the controllers, the kubelets and the reconciler do, and says what is
// not at rest; "": all is.
func (s *Stage) round(ctx context.Context) (why string, err error) {
	if err := s.createNodes(ctx); err != nil {
		return "", err
	}
	pods, err := s.list(ctx)
	if err != nil {
		return "", err
	}
	if why, err = s.control(ctx, pods); why != "" || err != nil {
		return why, err
	}
	if why = s.unseen(pods); why != "" {
		return why, nil
	}
	before, pictured := s.seq(), fmt.Sprint(pods)
	if err := s.reconciler.Reconcile(ctx); err != nil {
		return "", err
	}
	if s.seq() != before || len(s.lost) > 0 {
		return "Muster's state changed", nil
	}
	if pods, err = s.list(ctx); err == nil && fmt.Sprint(pods) != pictured {
		return "pods changed meanwhile", nil
	}
	return changing(pods), err
}

func (s *Stage) seq() (seq uint64) {
	s.engine.Read(func(state *fleet.State) { seq = state.Seq })
	return seq
}

// changing names a pod that was started and does not run yet, or is to end or leave and
// has not; "": there is none.
func changing(pods []pod) string {
	for _, p := range pods {
		ends := p.Annotations[endsAnnotation+"succeeds"]+p.Annotations[endsAnnotation+"fails"] != ""
		switch {
		case !p.waits && p.phase == "Pending":
			return p.Name + " does not run yet"
		case p.deleted() && len(p.Finalizers) == 0:
			return p.Name + " is not gone yet"
		case ends && !p.ended():
			return p.Name + " has not ended yet"
		}
	}
	return ""
}
