package kube

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says when a stage is at rest: what the cluster shows is what Muster decided.

// Rest lets the agent compare until nothing changes any more.
func (s *Stage) Rest(ctx context.Context) error {
	until := time.Now().Add(s.speed)
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

// round does once what everybody on the cluster does, and says what is not at rest.
func (s *Stage) round(ctx context.Context) (why string, err error) {
	if err := s.nodes(ctx); err != nil {
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
	s.agent.saidAt = time.Now()
	if err := s.agent.compare(ctx); err != nil {
		return "", err
	}
	if s.seq() != before || len(s.lost) > 0 {
		return "Muster learned something", nil
	}
	if pods, err = s.list(ctx); err == nil && fmt.Sprint(pods) != pictured {
		return "something happened meanwhile", nil
	}
	return onTheirWay(pods), err
}

func (s *Stage) seq() (seq uint64) {
	s.engine.Read(func(state *fleet.State) { seq = state.Seq })
	return seq
}

// onTheirWay says which pod is started and does not run yet, or is to end or to go
// and has not.
func onTheirWay(pods []stagePod) string {
	for _, p := range pods {
		ends := p.Annotations["test.muster.dev/"+"succeeds"]+p.Annotations["test.muster.dev/"+"fails"] != ""
		switch {
		case len(p.gates) == 0 && p.phase == "Pending":
			return p.Name + " does not run yet"
		case p.DeletionTimestamp != "" && len(p.Finalizers) == 0:
			return p.Name + " is not gone yet"
		case ends && !p.over():
			return p.Name + " has not ended yet"
		}
	}
	return ""
}

// unseen says what the agent's watch does not show as it is.
func (s *Stage) unseen(pods []stagePod) string {
	if !s.agent.watch.Synced() {
		return "nothing is listed yet"
	}
	if n, want := len(s.agent.watch.nodes.all()), len(s.known); n != want {
		return fmt.Sprintf("%d of %d nodes are seen", n, want)
	}
	for _, n := range s.agent.watch.nodes.all() {
		if n.Broken != "" || slices.ContainsFunc(n.Signals, func(s fleet.Signal) bool { return !s.Well }) {
			return n.Name + " is not ready yet" // in a story no kubelet is late
		}
	}
	seen := map[string]translate.Pod{}
	for _, p := range s.agent.watch.pods.all() {
		seen[p.UID] = p
	}
	for _, p := range pods {
		is, ok := seen[p.UID]
		if !ok || is.Gated != (len(p.gates) > 0) || is.Node != p.on || is.Leaving != (p.DeletionTimestamp != "") || is.Over != p.over() {
			return p.Name + " is not seen as it is"
		}
		delete(seen, p.UID)
	}
	if len(seen) > 0 {
		return "a pod is seen that is gone"
	}
	return ""
}

// Wrong lists where the cluster is not as the state says.
func (s *Stage) Wrong(state *fleet.State) (wrong []string) {
	want, leaving := seatsIn(state, fleet.Running), seatsIn(state, fleet.Leaving)
	pods, err := s.list(context.Background())
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range pods {
		seat := fmt.Sprint(p.key(), p.Labels[translate.LabelPool], " on ", p.node())
		switch {
		case len(p.gates) > 0 || p.over():
		case p.DeletionTimestamp != "":
			leaving[seat]--
		default:
			want[seat]--
		}
	}
	for seat, n := range want {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should run", seat, n))
		}
	}
	for seat, n := range leaving {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should be leaving", seat, n))
		}
	}
	slices.Sort(wrong)
	return wrong
}
