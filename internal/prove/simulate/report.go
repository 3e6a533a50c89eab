package simulate

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Report is what came out of a run.
type Report struct {
	Fleet  string    `json:"fleet"`
	Traces []string  `json:"traces"`
	Faults string    `json:"faults,omitempty"`
	Seed   uint64    `json:"seed"`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"` // virtual moment of the last event

	Figures
	Unfinished  int             `json:"unfinished"` // jobs that have not come to their end
	Reasons     map[string]int  `json:"unfinished_by_reason,omitempty"`
	Refused     int             `json:"refused"` // jobs that the fleet did not accept
	Refusal     string          `json:"refusal,omitempty"`
	Utilisation float64         `json:"utilisation"` // GPU-hours held, of those usable
	Teams       map[string]Team `json:"teams"`

	Losses    Losses     `json:"losses"`
	Churn     Churn      `json:"churn"`
	Forecasts *Forecasts `json:"forecasts,omitempty"`
	// Promises are what became of the promises made on partitions, by horizon and policy.
	Promises []view.Promises `json:"promises,omitempty"`

	Violations  int     `json:"invariant_violations"`
	Violation   string  `json:"invariant_violation,omitempty"` // the first one
	Decisions   int     `json:"decisions"`
	PerSecond   float64 `json:"decisions_per_second"` // in the time that was not spent on checks
	WallSeconds float64 `json:"wall_s"`
	Checks      float64 `json:"checks_s"` // of the wall's seconds: on invariants
	PeakMemory  int64   `json:"peak_memory_bytes"`
	StateHash   string  `json:"state_hash"`
}

// Team is what one team saw.
type Team struct {
	Target string `json:"target"` // a quota's path, or flex
	Figures
}

// Figures are those that a team and the whole have alike. Waits and completion
// are means and percentiles over the jobs that have finished, in seconds.
type Figures struct {
	Jobs             int     `json:"jobs"` // finished
	MeanWait         float64 `json:"mean_wait_s"`
	P50Wait          float64 `json:"p50_wait_s"`
	P99Wait          float64 `json:"p99_wait_s"`
	MeanJCT          float64 `json:"mean_jct_s"` // from submission to the end
	GPUHours         GPUTime `json:"gpu_hours"`  // held; work that was lost counts too
	Evictions        int     `json:"evictions"`
	Mends            int     `json:"mends"`           // nodes swapped under running gangs
	PromisesBroken   int     `json:"promises_broken"` // how often a quota's grants ceased to be backed whole
	BrokenQuotaHours float64 `json:"broken_quota_hours"`
}

// report closes the books at the last event.
func (r *run) report(wall time.Duration) Report {
	out := Report{
		Fleet: r.options.Fleet, Traces: r.options.Jobs, Faults: r.options.Faults, Seed: r.options.Seed,
		From: r.in.From, Until: r.now.Time(), Teams: map[string]Team{},
		Refused: r.tally.refused, Refusal: r.tally.refusal, Unfinished: len(r.in.Jobs) - r.tally.ended,
		Decisions: r.decisions, PerSecond: float64(r.decisions) / (wall - r.laws.took).Seconds(),
		Forecasts: r.forecasts.report(), WallSeconds: wall.Seconds(), Checks: r.laws.took.Seconds(), PeakMemory: peakMemory(),
	}
	r.engine.Read(func(s *fleet.State) {
		r.tally.close(r.now, s)
		out.Reasons = reasons(s, r.now)
		out.Promises = promises(s, r.now)
		out.StateHash = s.Hash()
	})
	if v := r.engine.Violations(); len(v) > 0 {
		out.Violations, out.Violation = len(v), v[0].String()
	}
	total := outcome{}
	for team, target := range r.in.Targets {
		o := r.tally.team(team)
		o.held = r.cluster.heldBy(team, r.now)
		o.broke(r.tally.quotas[target])
		out.Teams[team] = Team{target, o.figures()}
		total.add(o)
	}
	for _, q := range r.tally.quotas {
		total.broke(q)
	}
	out.Figures = total.figures()
	out.Losses = r.cluster.losses
	out.Losses.All = total.held.minus(r.cluster.useful)
	usable := r.tally.usable.sum.Hours()
	if usable > 0 {
		out.Utilisation = total.held.Hours() / usable
	}
	out.Churn = r.churn.close(r.now, usable)
	return out
}

// promises are what became of the partitions' promises, without those of single islands.
func promises(s *fleet.State, now fleet.Instant) (list []view.Promises) {
	for _, p := range s.Partitions {
		list = append(list, slices.DeleteFunc(view.PromisesOf(p, now), func(of view.Promises) bool { return of.Island != "" })...)
	}
	return list
}

// reasons counts the workloads that have not ended, by what they wait for, or by
// their state where they do not.
func reasons(s *fleet.State, now fleet.Instant) map[string]int {
	count := map[string]int{}
	for _, w := range s.Workloads {
		if w.State.Ended() {
			continue
		}
		reason := string(w.State)
		if why := explain.Why(s, w, now); len(why) > 0 {
			reason = string(why[0].Code)
		}
		count[reason]++
	}
	return count
}

func (o *outcome) figures() Figures {
	slices.Sort(o.waits)
	return Figures{
		Jobs: len(o.waits), MeanWait: mean(o.waited, len(o.waits)), MeanJCT: mean(o.completion, len(o.waits)),
		P50Wait: percentile(o.waits, 50), P99Wait: percentile(o.waits, 99),
		GPUHours: o.held, Evictions: o.evictions, Mends: o.mends,
		PromisesBroken: o.breaks, BrokenQuotaHours: o.broken,
	}
}

// percentile is the nearest-rank one of durations in order, in seconds.
func percentile(sorted []time.Duration, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*percent + 99) / 100
	return sorted[rank-1].Seconds()
}

// mean of durations by their sum in seconds: a sum of nanoseconds may overflow.
func mean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
