package main

import (
	"context"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// settle is how long after the last pod runs what comes late is still counted: events and states of Jobs.
const settle = 3 * time.Second

// sample measures one task in one way, on a control plane of its own. What fails is in the sample.
func (o options) sample(ctx context.Context, w way, t task) (s sample) {
	s = sample{Task: t.key, Way: w.key, Load: load()}
	c, err := kubetest.StartWith(ctx, w.more)
	if err != nil {
		s.Failed = err.Error()
		return s
	}
	defer c.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bed{o: o, c: c, task: t, way: w}
	defer o.logged(b)
	if err := b.prepare(ctx); err != nil {
		s.Failed = "before it began: " + err.Error()
		return s
	}
	if err := b.measure(ctx, &s); err != nil {
		s.Failed = err.Error()
	}
	return s
}

// spent is what programs have used until a moment.
type spent struct {
	server, scheduler time.Duration
	wrote             writes
}

func (b *bed) spent(ctx context.Context) (is spent, err error) {
	is.wrote, err = writesOf(ctx, b.c)
	is.server = cpuOf(b.c.Process("kube-apiserver"))
	for _, part := range b.way.parts {
		is.scheduler += cpuOf(b.c.Process(part))
	}
	return is, err
}

// measure makes the Jobs of the task and waits until their pods run.
func (b *bed) measure(ctx context.Context, s *sample) error {
	before, err := b.spent(ctx)
	if err != nil {
		return err
	}
	jobs := b.task.jobs()
	asked, err := b.submit(ctx, jobs)
	if err != nil {
		return err
	}
	run, late := b.allRun(ctx, jobs)
	s.take(asked, run)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(settle):
	}
	after, err := b.spent(ctx)
	if err != nil {
		return err
	}
	s.cost(before, after)
	for _, part := range b.way.parts {
		s.Memory += peakOf(b.c.Process(part))
	}
	return late
}

// take notes how long pods waited, from when their Job was asked for.
func (s *sample) take(asked map[string]time.Time, run []seen) {
	first := time.Time{}
	for _, at := range asked {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	var bound, running []time.Duration
	for _, p := range run {
		bound = append(bound, p.bound.Sub(asked[p.job]))
		running = append(running, p.running.Sub(asked[p.job]))
		s.All = max(s.All, seconds(p.running.Sub(first)))
		s.AllBound = max(s.AllBound, seconds(p.bound.Sub(first)))
	}
	s.Pods = len(run)
	s.Bound, s.BoundP99 = mean(bound), p99(bound)
	s.Running, s.RunningP99 = mean(running), p99(running)
}

// cost notes what the programs used between two moments.
func (s *sample) cost(before, after spent) {
	s.Server, s.Scheduler = seconds(after.server-before.server), seconds(after.scheduler-before.scheduler)
	s.Wrote = after.wrote.since(before.wrote)
}

func seconds(d time.Duration) float64 { return d.Seconds() }

func mean(list []time.Duration) float64 {
	var sum time.Duration
	for _, d := range list {
		sum += d
	}
	return seconds(sum) / float64(max(1, len(list)))
}

// p99 is the time within which 99 of 100 are done.
func p99(list []time.Duration) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return seconds(list[(len(list)*99+99)/100-1])
}
