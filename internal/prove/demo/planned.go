package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The planned work of the demo: an update rolls out on the H200 nodes of tiger, a no-fly zone keeps
// another one away from lynx, and the provider has announced a maintenance of two nodes there.
// Each begins again after its end, so that there is always something to watch.

// Where planned work goes on, and what it is called.
const (
	rolledOut = "tiger/h200"
	zonedOff  = "lynx"
	zoneName  = "launch"
	blocked   = "nic-firmware-28" // the rollout that the zone keeps away
	hostWork  = "host-update"
	driver0   = 580 // the first version that rolls out
)

// How long planned work takes in the demo, and how far ahead it is announced.
const (
	updateLasts  = 90 * time.Second
	updateSoak   = 2 * time.Minute
	betweenRolls = 10 * time.Minute
	noticeAhead  = 20 * time.Minute
	noticeLasts  = 4 * time.Minute
	zoneLasts    = 14 * day
)

// plansWork lets an operator begin what planned work there is not.
func plansWork(_ *member, s *fleet.State) (list []core.Request) {
	for _, step := range []func(*fleet.State) []core.Command{observes, zones, announces, endsHostWork, rollsOut, waitsForZone, resumes, buildsCluster} {
		for _, c := range step(s) {
			list = append(list, core.Request{Command: c, Actor: operator, Reason: reasonOf(c)})
		}
	}
	return list
}

// reasonOf is why the operator resumes a rollout; other planned work says so itself.
func reasonOf(c core.Command) string {
	if m, ok := c.(core.MoveRollout); ok && m.NotTheUpdate {
		return "looked at: a part of the node failed, not the update"
	}
	return ""
}

// observes says what the nodes run when the demo begins: partitions lag behind each other, and some of their nodes behind the others.
func observes(s *fleet.State) []core.Command {
	var all core.Batch
	for _, p := range s.Partitions {
		for i, n := range p.Nodes {
			if len(n.Runs) == 0 && n.Visit == nil && n.State != fleet.Retired {
				all.Commands = append(all.Commands, core.ObserveRuns{Node: n.Name, Runs: firstRuns(p, i)})
			}
		}
	}
	if len(all.Commands) == 0 {
		return nil
	}
	return []core.Command{all}
}

// firstRuns is what a node runs before anything was rolled out.
func firstRuns(p *fleet.Partition, node int) fleet.Runs {
	driver, firmware := "570", "26"
	if node%6 == 5 {
		driver = "565"
	}
	if p.Cluster == zonedOff && node%4 == 3 {
		firmware = "24"
	}
	return fleet.Runs(nil).With(fleet.Component{Name: "gpu-driver", Version: driver}, fleet.Component{Name: "nic-firmware", Version: firmware},
		fleet.Component{Name: "os-image", Version: "2026.09"})
}

// zones keeps updates away from lynx.
func zones(s *fleet.State) []core.Command {
	n := 0
	for _, z := range s.Kept().Zones {
		if !named(z.Name, zoneName) {
			continue
		}
		if n++; z.Ended == 0 && z.Spans[len(z.Spans)-1].To > s.Time {
			return nil
		}
	}
	return []core.Command{core.AddZone{Zone: fleet.Zone{
		Name: numbered(zoneName, n), Scope: zonedOff, Spans: []fleet.Span{{From: s.Time, To: s.Time.Add(zoneLasts)}},
		ZoneRecord: fleet.ZoneRecord{Reason: "the launch of search is served from lynx", Owner: "omar", Link: "https://example.com/launch"},
	}}}
}

// announces says that the provider will take two nodes of lynx.
func announces(s *fleet.State) []core.Command {
	n := 0
	for _, o := range s.Kept().Notices {
		if !named(o.Name, hostWork) {
			continue
		}
		if n++; o.Ended == 0 {
			return nil
		}
	}
	p := s.Partition(zonedOff + "/h100")
	at := 2 * n % (len(p.Nodes) - 1)
	return []core.Command{core.AddNotice{
		Name: numbered(hostWork, n), Nodes: []string{p.Nodes[at].Name, p.Nodes[at+1].Name}, Starts: s.Time.Add(noticeAhead), Lasts: noticeLasts,
		Impact: fleet.ImpactRestart, Provider: true,
	}}
}

// endsHostWork says that the provider's maintenance of nodes is over.
func endsHostWork(s *fleet.State) (list []core.Command) {
	for _, ref := range s.Kept().Open {
		v := s.Partition(ref.Partition).Nodes[ref.Node].Visit
		if named(v.Notice, hostWork) && v.State == fleet.VisitWorking && v.Since.Add(noticeLasts) <= s.Time {
			list = append(list, core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed})
		}
	}
	return list
}

// rollsOut begins the rollout of the next driver some time after the last one was over.
func rollsOut(s *fleet.State) []core.Command {
	next := driver0
	for _, r := range s.Kept().Rollouts {
		version, ours := driverOf(r.Name)
		switch {
		case !ours:
		case r.Open() || r.Ended.Add(betweenRolls) > s.Time:
			return nil
		default:
			next = max(next, version+1)
		}
	}
	name := fmt.Sprintf("driver-%d", next)
	return []core.Command{
		core.AddUpdate{Update: fleet.NodeUpdate{
			Name: name, Component: fleet.Component{Name: "gpu-driver", Version: strconv.Itoa(next)}, GPUs: []string{"h200"},
			Impact: fleet.ImpactRestart, Lasts: updateLasts, Executor: fleet.BySimulated,
		}},
		core.StartRollout{Name: name, Plan: fleet.RolloutPlan{
			Scope: rolledOut, Updates: []string{name}, Canary: fleet.CanaryRule{Nodes: 2, Soak: updateSoak}, Waves: []fleet.Permille{100, 400, 1000},
			Limits: fleet.VisitLimit{PerIsland: 2, Share: 100, Failures: -1},
		}},
	}
}

// driverOf is the version that a rollout of drivers brings; false: it is none of the demo's.
func driverOf(rollout string) (int, bool) {
	version, ours := strings.CutPrefix(rollout, "driver-")
	n, err := strconv.Atoi(version)
	return n, ours && err == nil
}

// waitsForZone begins a rollout that the zone keeps away until it lifts.
func waitsForZone(s *fleet.State) []core.Command {
	if s.Kept().Update(blocked) != nil {
		return nil
	}
	return []core.Command{
		core.AddUpdate{Update: fleet.NodeUpdate{
			Name: blocked, Component: fleet.Component{Name: "nic-firmware", Version: "28"}, GPUs: []string{"h100"},
			Impact: fleet.ImpactRestart, Lasts: updateLasts, Deadline: s.Time.Add(21 * day), Executor: fleet.BySimulated,
		}},
		core.StartRollout{Name: blocked, Plan: fleet.RolloutPlan{
			Scope: zonedOff, Updates: []string{blocked}, Canary: fleet.CanaryRule{Nodes: 2, Soak: updateSoak},
		}},
	}
}

// resumes lets rollouts run again that a gate paused; what people paused stays so. Nodes of the demo fail two thousand times as often as real ones.
func resumes(s *fleet.State) (list []core.Command) {
	for _, r := range s.Kept().Rollouts {
		if _, ours := driverOf(r.Name); !ours || r.State != fleet.RolloutPaused || !strings.HasPrefix(r.Why, "gate: ") {
			continue
		}
		list = append(list, core.MoveRollout{Name: r.Name, State: fleet.RolloutRunning, NotTheUpdate: canaryFailed(s, r)})
	}
	return list
}

// canaryFailed says whether a canary of a rollout failed.
func canaryFailed(s *fleet.State, r *fleet.Rollout) bool {
	return slices.ContainsFunc(s.Kept().Proofs, func(p *fleet.Proof) bool {
		return p.Verdict == fleet.Rejected && slices.ContainsFunc(r.Trials, func(t fleet.Trial) bool { return t.GPU == p.GPU && t.Hash == p.Hash })
	})
}

// numbered is a name for the n-th time, from 0: launch, launch-2, launch-3.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n+1)
}

// named says whether a name is one that numbered made.
func named(is, name string) bool { return is == name || strings.HasPrefix(is, name+"-") }
