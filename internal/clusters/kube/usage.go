package kube

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// measureEvery is how often Prometheus is asked what GPUs do.
const measureEvery = time.Minute

// measure asks again and again what GPUs do. While Prometheus does not answer, what
// was measured stays as long as the policy believes silence; then nothing is measured.
func (a *Agent) measure(ctx context.Context) {
	heard := time.Now()
	tick := time.NewTicker(a.measureEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		readings, err := a.Usage.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			heard = time.Now()
		case time.Since(heard) < a.silence():
			a.Log.Warn("what GPUs do could not be read", "cluster", a.Translate.Cluster, "why", err)
			continue
		}
		if err := a.takeReadings(ctx, readings, err); err != nil {
			a.Log.Warn("what GPUs do could not be noted", "cluster", a.Translate.Cluster, "why", err)
		}
	}
}

// takeReadings notes what the GPUs of the cluster's workloads do, and says of how
// many pods that is not known.
func (a *Agent) takeReadings(ctx context.Context, readings map[dcgm.Pod]dcgm.Reading, trouble error) error {
	a.mu.Lock()
	work := a.work
	a.mu.Unlock()
	seen, running, lacking := dcgm.Of(work, readings)
	a.mu.Lock()
	a.unmeasured = nil
	if lacking > 0 {
		text := fmt.Sprintf("of %d running pods %d have no GPU utilisation of the last %s: whether they are idle is not known", running, lacking, dcgm.Window)
		if trouble != nil {
			text += "; Prometheus does not answer: " + translate.Clip(trouble.Error())
		}
		a.unmeasured = []translate.Problem{{Object: "prometheus", Text: text}}
	}
	a.mu.Unlock()
	commands := []core.Command{}
	for len(seen) > 0 {
		n := min(len(seen), core.MaxMeasured)
		var of []core.Measured
		for _, s := range seen[:n] {
			of = append(of, core.Measured{Namespace: s.Namespace, Name: s.Name, SM: s.SM, Tensor: s.Tensor, Network: fleet.Unmeasured})
		}
		commands, seen = append(commands, core.MeasureUsage{Of: of}), seen[n:]
	}
	for _, c := range commands {
		if _, err := a.request(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
