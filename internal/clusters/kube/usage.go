package kube

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// measureEvery is how often Prometheus is asked what GPUs do.
const measureEvery = time.Minute

// usageController measures what GPUs do.
type usageController struct {
	*shared
	every time.Duration

	mu         sync.Mutex
	work       []translate.Work    // of the last snapshot
	unmeasured []translate.Problem // what is not known of its usage
}

// observe notes what runs, and lists what is not known of its usage.
func (c *usageController) observe(work []translate.Work) []translate.Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = work
	return c.unmeasured
}

// run asks again and again what GPUs do. While Prometheus does not answer, what
// was measured stays as long as the policy believes silence; then nothing is measured.
func (c *usageController) run(ctx context.Context) {
	heard := time.Now()
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		readings, err := c.Usage.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			heard = time.Now()
		case time.Since(heard) < c.silence():
			c.Log.Warn("what GPUs do could not be read", "cluster", c.Translate.Cluster, "why", err)
			continue
		}
		if err := c.takeReadings(ctx, readings, err); err != nil {
			c.Log.Warn("what GPUs do could not be noted", "cluster", c.Translate.Cluster, "why", err)
		}
	}
}

// takeReadings notes what the GPUs of the cluster's workloads do, and says of how
// many pods that is not known.
func (c *usageController) takeReadings(ctx context.Context, readings map[dcgm.Pod]dcgm.Reading, trouble error) error {
	c.mu.Lock()
	work := c.work
	c.mu.Unlock()
	seen, running, lacking := dcgm.Of(work, readings)
	c.mu.Lock()
	c.unmeasured = nil
	if lacking > 0 {
		text := fmt.Sprintf("of %d running pods %d have no GPU utilisation of the last %s: whether they are idle is not known", running, lacking, dcgm.Window)
		if trouble != nil {
			text += "; Prometheus does not answer: " + translate.Clip(trouble.Error())
		}
		c.unmeasured = []translate.Problem{{Object: "prometheus", Text: text}}
	}
	c.mu.Unlock()
	commands := []core.Command{}
	for len(seen) > 0 {
		n := min(len(seen), core.MaxMeasured)
		var of []core.Measured
		for _, s := range seen[:n] {
			of = append(of, core.Measured{Namespace: s.Namespace, Name: s.Name, SM: s.SM, Tensor: s.Tensor, Network: fleet.Unmeasured})
		}
		commands, seen = append(commands, core.MeasureUsage{Of: of}), seen[n:]
	}
	for _, command := range commands {
		if _, err := c.request(ctx, command); err != nil {
			return err
		}
	}
	return nil
}
