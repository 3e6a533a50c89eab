package kube

import (
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ErrLostFleet says that Muster has started what runs on a cluster, and that the state knows
// none of it: the journal of that fleet is elsewhere, or lost. The work would be stopped.
var ErrLostFleet = errors.New("the cluster runs what Muster has started and this journal knows nothing of")

// checkFleet refuses to act on a cluster whose managed work is all unknown to the state.
func (c *shared) checkFleet(pods []translate.Pod) (err error) {
	if c.NewFleet {
		return nil
	}
	c.engine.Read(func(s *fleet.State) {
		if n, example := unknown(s, pods); n > 0 {
			err = fmt.Errorf("cluster %s: %w: %d pods, such as %s; bring the journal back from a copy, or start once with --new-fleet to begin an empty fleet",
				c.Translate.Cluster, ErrLostFleet, n, example)
		}
	})
	return err
}

// unknown counts the pods that Muster has started, if the state knows the workload of none.
func unknown(s *fleet.State, pods []translate.Pod) (n int, example string) {
	for i := range pods {
		p := &pods[i]
		if p.Pinned == "" || p.Node == "" || p.Over {
			continue
		}
		key := p.Workload()
		if s.Workload(key[0], key[1]) != nil {
			return 0, ""
		}
		if n++; n == 1 {
			example = p.Namespace + "/" + p.Name
		}
	}
	return n, example
}
