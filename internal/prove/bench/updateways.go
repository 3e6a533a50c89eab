package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// updateWay is a way to bring updates to nodes.
type updateWay struct {
	name      string
	begins    func(context.Context, *updateYear) error
	published func(context.Context, *updateYear, published) error
}

// updateWays are the ways that are compared, Muster's own first.
var updateWays = []updateWay{
	{"Muster", musterBegins, musterPublished},
	{"nightly windows", func(_ context.Context, y *updateYear) error { y.later(time.Hour, y.night); return nil }, unheard},
	{"one at a time", func(_ context.Context, y *updateYear) error {
		for c := range y.clusters {
			y.later(time.Hour, y.drains(c))
		}
		return nil
	}, unheard},
}

// unheard: the way looks by itself what nodes lack.
func unheard(context.Context, *updateYear, published) error { return nil }

// The nightly window, and how many nodes of a cluster it visits at once: as many as a rollout's default limits let.
const (
	windowLasts  = 4 * time.Hour
	windowAtOnce = updateNodes * 5 / 100
)

// night visits nodes for four hours, in the order of their names, whatever runs there.
func (y *updateYear) night(ctx context.Context) error {
	y.later(day, y.night)
	for c := range y.clusters {
		until := y.now.Add(windowLasts)
		for range windowAtOnce {
			if err := y.nextOf(ctx, c, until); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextOf visits the next node of a cluster that lacks something, and then another, as long as the window lasts.
func (y *updateYear) nextOf(ctx context.Context, cluster int, until fleet.Instant) error {
	for _, node := range y.nodesOf(cluster) {
		list := y.book.lacks(node)
		lasts := lastsOf(list)
		if len(list) == 0 || y.now.Add(lasts) > until || y.zoned(lasts) {
			continue
		}
		if took, err := y.takeOut(ctx, node, list, func(ctx context.Context) error { return y.nextOf(ctx, cluster, until) }); took || err != nil {
			return err
		}
	}
	return nil
}

// drains visits the nodes of a cluster one after another, day and night.
func (y *updateYear) drains(cluster int) func(context.Context) error {
	var next func(context.Context) error
	next = func(ctx context.Context) error {
		for _, node := range y.nodesOf(cluster) {
			list := y.book.lacks(node)
			if len(list) == 0 || y.zoned(lastsOf(list)) {
				continue
			}
			if took, err := y.takeOut(ctx, node, list, next); took || err != nil {
				return err
			}
		}
		y.later(time.Hour, next) // nothing to do: it looks again
		return nil
	}
	return next
}

func (y *updateYear) nodesOf(cluster int) []string {
	return y.nodes[cluster*updateNodes : (cluster+1)*updateNodes]
}

func lastsOf(list []published) (d time.Duration) {
	for _, u := range list {
		d += components[u.component].lasts
	}
	return d
}

// takeOut takes a node out of service, has it updated, and brings it back. A node in repair is updated there at once.
// false: the node is not to be taken now.
func (y *updateYear) takeOut(ctx context.Context, node string, list []published, then func(context.Context) error) (bool, error) {
	state := y.stateOf(node)
	switch {
	case state == fleet.Healthy || state == fleet.Probation:
	case state.InRepair():
		y.book.bring(node, list, false, y.now)
		return false, nil
	default:
		return false, nil
	}
	y.gangs.ours = true
	err := y.try(ctx, core.SetNodes{Names: []string{node}, State: fleet.Maintenance, Signal: "update"})
	y.gangs.ours = false
	if err != nil {
		return false, err
	}
	y.later(lastsOf(list), func(ctx context.Context) error {
		if y.stateOf(node) == fleet.Maintenance {
			if err := y.try(ctx, core.SetNodes{Names: []string{node}, State: state, Signal: "updated"}); err != nil {
				return err
			}
		}
		y.book.bring(node, list, false, y.now)
		return then(ctx)
	})
	return true, nil
}

func (y *updateYear) stateOf(name string) (state fleet.NodeState) {
	y.Read(func(s *fleet.State) {
		p, i := s.FindNode(name)
		state = p.Nodes[i].State
	})
	return state
}

// musterBegins adds the zones, and looks every day whether a cluster lacks updates and no rollout is open there.
func musterBegins(ctx context.Context, y *updateYear) error {
	for i, d := range zonesBegin {
		from := y.begins.Add(time.Duration(d) * day)
		z := fleet.Zone{Name: fmt.Sprintf("launch%d", i+1), Scope: "fleet", Spans: []fleet.Span{{From: from, To: from.Add(zoneLasts)}}}
		z.Reason, z.Owner, z.Link = "launch", "ada", "https://example.com/launch"
		if err := y.build(ctx, core.AddZone{Zone: z}); err != nil {
			return err
		}
	}
	y.later(time.Hour, y.looks)
	return nil
}

func musterPublished(ctx context.Context, y *updateYear, u published) error {
	c := components[u.component]
	return y.build(ctx, core.AddUpdate{Update: fleet.NodeUpdate{
		Name: nameOf(u), Component: fleet.Component{Name: c.name, Version: fmt.Sprint(u.number)},
		Impact: c.impact, Lasts: c.lasts, Deadline: u.deadline, Executor: fleet.BySimulated, Freeze: freezeOf(c.impact),
	}})
}

func freezeOf(i fleet.Impact) time.Duration {
	if i == fleet.ImpactFreeze {
		return time.Minute
	}
	return 0
}

func nameOf(u published) string { return fmt.Sprintf("update%02d", u.number) }

// looks starts a rollout in every cluster that lacks updates and has none open. A rollout that waits for work to end,
// while another update was published, makes way for one that brings both in one visit. Where a canary failed, the operator
// finds what broke: in this year that is always the hardware, so the rollout goes on with another canary.
func (y *updateYear) looks(ctx context.Context) error {
	y.later(day, y.looks)
	for c := range y.clusters {
		scope := fmt.Sprintf("c%02d", c+1)
		updates := y.lacking(c)
		old := y.openRollout(scope, updates)
		if old.canaryFailed {
			y.book.rejected++
			if err := y.goOn(ctx, old.name); err != nil {
				return err
			}
		}
		if old.name != "" && !old.goesOn {
			if err := y.try(ctx, core.MoveRollout{Name: old.name, State: fleet.RolloutAbandoned}); err != nil {
				return err
			}
		}
		if old.goesOn || len(updates) == 0 {
			continue
		}
		y.started++
		if err := y.try(ctx, core.StartRollout{Name: fmt.Sprintf("%s-%d", scope, y.started), Plan: fleet.RolloutPlan{
			Scope: scope, Updates: updates, Canary: fleet.CanaryRule{Auto: true},
			Limits: fleet.VisitLimit{PerIsland: windowAtOnce, PerPartition: windowAtOnce, Failures: -1},
		}}); err != nil {
			return err
		}
	}
	return nil
}

// goOn lets a paused rollout run again: with another canary where one failed, and as it is where it
// paused for something else, or looks for the update that fails.
func (y *updateYear) goOn(ctx context.Context, rollout string) error {
	for _, excused := range []bool{true, false} {
		if err := y.try(ctx, core.MoveRollout{Name: rollout, State: fleet.RolloutRunning, NotTheUpdate: excused}); err != nil {
			return err
		}
	}
	return nil
}

// openRollout is a rollout that is open: whether it waits for a word about its canary, and whether it is to go on.
type openRollout struct {
	name                 string
	canaryFailed, goesOn bool
}

// openRollout is the rollout that is open in a scope, now that these updates are lacking.
func (y *updateYear) openRollout(scope string, lacking []string) (o openRollout) {
	y.Read(func(s *fleet.State) {
		for _, r := range s.Kept().Rollouts {
			if r.Scope != scope || !r.Open() {
				continue
			}
			more := slices.ContainsFunc(lacking, func(u string) bool { return !slices.Contains(r.Updates, u) })
			waits := maintenance.Of(s, r, y.now).State == fleet.RolloutWaiting
			failed := r.State == fleet.RolloutPaused
			o = openRollout{r.Name, failed, !more || r.Stage == 0 && !failed || !failed && !waits}
		}
	})
	return o
}

// lacking is all that some node of a cluster does not run yet.
func (y *updateYear) lacking(cluster int) (updates []string) {
	for _, node := range y.nodesOf(cluster) {
		for _, u := range y.book.lacks(node) {
			if name := nameOf(u); !slices.Contains(updates, name) {
				updates = append(updates, name)
			}
		}
	}
	slices.Sort(updates)
	return updates
}

// visited plays the executor: it takes what the updates say.
func (y *updateYear) visited(v fleet.Visit) error {
	say := func(outcome string) func(context.Context) error {
		return func(ctx context.Context) error {
			return y.try(ctx, core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: outcome})
		}
	}
	switch v.State {
	case fleet.VisitWorking:
		y.later(v.Lasts, say(core.Worked))
	case fleet.VisitChecking:
		y.later(v.Checks, say(core.Passed))
	case fleet.VisitDone:
		var list []published
		for _, u := range y.book.updates {
			if slices.Contains(v.Updates, nameOf(u)) {
				list = append(list, u)
			}
		}
		y.book.bring(v.Node, list, v.Canary, y.now)
	default:
	}
	return nil
}
