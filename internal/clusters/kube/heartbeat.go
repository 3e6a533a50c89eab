package kube

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// heartbeat asks whether the API server is there.
type heartbeat struct {
	*shared
	takeover *takeoverController
	kueue    *kueueController
}

// run asks now and then whether the API server is there, and for what seldom
// changes. After a silence as long as the policy says, the reports have stopped:
// what stands stays as it is, and nothing new is believed to start.
func (c *heartbeat) run(ctx context.Context) {
	heard, asked := time.Now(), time.Time{}
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	for {
		err := c.client.Alive(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			heard = time.Now()
			if !c.acts() || c.takeover.done.Load() { // else the comparison says so
				c.reporting(ctx, true)
			}
			if silent, stopped := c.logged.over("silent"), c.logged.over("stopped"); silent || stopped {
				c.Log.Info("the API server answers again", "cluster", c.Translate.Cluster)
			}
		case time.Since(heard) >= c.silence():
			if c.logged.is("stopped", cause(err)) {
				c.Log.Error("the cluster's reports have stopped", "cluster", c.Translate.Cluster, "since", heard, "why", err)
			}
			c.reporting(ctx, false)
		case c.logged.is("silent", cause(err)):
			c.Log.Warn("the API server does not answer", "cluster", c.Translate.Cluster, "why", err)
		}
		if err == nil && c.Quotas && !c.kueue.objects.listed() && time.Since(asked) > rareHeartbeatEvery {
			asked = time.Now()
			c.kueue.ask(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reporting says that the reports have stopped or come again, where that is news.
func (c *shared) reporting(ctx context.Context, fresh bool) {
	changed := false
	c.engine.Read(func(s *fleet.State) {
		is := s.Cluster(c.Translate.Cluster)
		changed = is != nil && is.Stale == fresh
	})
	if !changed {
		return
	}
	var command core.Command = core.StopReports{Cluster: c.Translate.Cluster}
	if fresh {
		command = core.ResumeReports{Cluster: c.Translate.Cluster}
	}
	if _, err := c.request(ctx, command); err != nil {
		c.Log.Warn("the silence could not be noted", "cluster", c.Translate.Cluster, "why", err)
	}
}
