package core

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

func steerCluster(s *fleet.State, r Request, c SteerCluster, now fleet.Instant) ([]event.Event, *Refusal) {
	l := s.Life(c.Cluster)
	switch {
	case l == nil:
		return nil, noLife(c.Cluster)
	case l.Course.Retired != 0:
		return nil, refuse(WrongState, "cluster %s is retired", c.Cluster)
	case !slices.Contains(Steers(), c.Do):
		return nil, refuse(Invalid, "%q is nothing that can be done to a cluster; it is one of %s", clip(string(c.Do)), listed(Steers()))
	case c.Step != "" && !slices.Contains(fleet.Steps(), c.Step):
		return nil, refuse(Invalid, "%q is no step; it is one of %s", clip(string(c.Step)), listed(fleet.Steps()))
	}
	switch c.Do {
	case Quota:
		return sayQuota(s, l, r, now)
	case Hold, Go:
		return holdOrGo(l, r, c)
	case Retry:
		return touchSteps(l, r, c, now, "no step of cluster %s waits for a retry", func(st fleet.StepState) bool {
			return st.Trouble.Parked || st.Trouble.Next > now
		})
	case Unblock:
		return touchSteps(l, r, c, now, "no operation of cluster %s is blocked", func(st fleet.StepState) bool {
			return st.Operation.State == fleet.OperationBlocked && !st.Operation.Unblocked
		})
	case Retire:
		return retireCluster(s, l, r)
	default: // Confirm
		return confirmRemoval(s, l, r, c)
	}
}

// sayQuota takes a person's word for cores that no cloud counts: they are the cluster's own.
func sayQuota(s *fleet.State, l *fleet.Life, r Request, now fleet.Instant) ([]event.Event, *Refusal) {
	name, account := l.Record.Name, l.Record.Account()
	b, is := s.BlueprintOf(l), s.CloudAccount(account)
	switch {
	case l.Course.Retiring != 0:
		return nil, refuse(WrongState, "cluster %s is being retired", name)
	case b == nil || !buildout.Wants(l, b):
		return nil, refuse(NothingToDo, "cluster %s has all the cores that it needs", name)
	case is == nil && l.Record.Provider != fleet.ProviderHand:
		return nil, refuse(WrongState, "the quota of %s was not read yet; it is read within a minute", account)
	case is != nil && !is.Class.Parks():
		return nil, refuse(WrongState, "the cloud counts the quota of %s itself; `muster cloud quota` says what is missing", account)
	}
	said := event.CoresReserved{Cluster: name}
	own := event.CoresReleased{Cluster: name, Settled: true, Why: r.Actor.Name + " says that they are the cluster's own"}
	for _, m := range b.Meters {
		if n := l.Needs(m); n > 0 {
			said.Reserved = append(said.Reserved, fleet.Reservation{Meter: m.Meter, Cores: l.ReservedOf(m.Meter) + n, At: now})
			own.Meters = append(own.Meters, m.Meter)
		}
	}
	touch := event.ClusterTouched{Cluster: name, What: string(Quota), By: r.Actor.Name, Waited: waited(l, fleet.QuotaAvailable, now)}
	return []event.Event{said, own, touch}, nil
}

func holdOrGo(l *fleet.Life, r Request, c SteerCluster) ([]event.Event, *Refusal) {
	held := l.Course.Held != 0
	switch {
	case held == (c.Do == Hold):
		return nil, nil
	case c.Do == Hold:
		return one(event.LifeTurned{Cluster: c.Cluster, Stage: event.LifeHeld, By: r.Actor.Name})
	}
	return one(event.LifeTurned{Cluster: c.Cluster, Stage: event.LifeResumed, By: r.Actor.Name})
}

// touchSteps lets the steps go on that wait for just this.
func touchSteps(l *fleet.Life, r Request, c SteerCluster, now fleet.Instant, none string, waits func(fleet.StepState) bool) (events []event.Event, _ *Refusal) {
	for _, st := range l.Steps {
		if waits(st) && (c.Step == "" || c.Step == st.Step) {
			events = append(events, event.ClusterTouched{
				Cluster: c.Cluster, What: string(c.Do), Step: st.Step, By: r.Actor.Name, Waited: waited(l, conditionOf(st.Step), now),
			})
		}
	}
	if len(events) == 0 {
		return nil, refuse(NothingToDo, none, c.Cluster)
	}
	return events, nil
}

// conditionOf is the condition that a step brings about.
func conditionOf(step fleet.Step) fleet.ConditionType {
	switch step {
	case fleet.StepQuota:
		return fleet.QuotaAvailable
	case fleet.StepCheckin:
		return fleet.CheckedIn
	case fleet.StepPipeline:
		return fleet.BootstrapSucceeded
	case fleet.StepScaleSets:
		return fleet.InfrastructureReady
	case fleet.StepJoin:
		return fleet.NodesReady
	case fleet.StepValidation:
		return fleet.NodesValidated
	case fleet.StepServices:
		return fleet.ServicesDeployed
	default:
		return fleet.InfrastructureRemoved
	}
}

// waited is how long a condition has waited for the person who comes now.
func waited(l *fleet.Life, t fleet.ConditionType, now fleet.Instant) time.Duration {
	if c, ok := l.Condition(t); ok && c.Asked != 0 {
		return now.Sub(c.Asked)
	}
	return 0
}

// retireCluster begins the end of a cluster that no quota is assigned in.
func retireCluster(s *fleet.State, l *fleet.Life, r Request) ([]event.Event, *Refusal) {
	if l.Course.Retiring != 0 {
		return nil, nil
	}
	name := l.Record.Name
	if refusal := stillAssigned(s, name); refusal != nil {
		return nil, refusal
	}
	events := []event.Event{event.LifeTurned{Cluster: name, Stage: event.LifeRetiring, By: r.Actor.Name}}
	if c := s.Cluster(name); c != nil && l.Course.Produced != 0 && c.Mode != fleet.Observe {
		events = append(events, event.ClusterModeSet{Cluster: name, Mode: fleet.Observe, Was: c.Mode}) // nothing new starts there
	}
	return events, nil
}

// stillAssigned refuses the end of a cluster that quota is assigned in.
func stillAssigned(s *fleet.State, name string) *Refusal {
	whose, gpus := assignedIn(s, name)
	if len(whose) == 0 {
		return nil
	}
	return refuse(QuotaAssigned, "%s of cluster %s %s assigned to %s; take that back first (`muster haircut plan %s` plans it, `muster quota grant` does it one by one)",
		text.Count(gpus, "GPU"), name, text.Verb(gpus, "is", "are"), strings.Join(whose, ", "), name).with(map[string]int{"assigned": gpus})
}

// retiring says whether a person has retired a cluster. It is no more, or goes.
func retiring(s *fleet.State, cluster string) bool {
	l := s.Life(cluster)
	return l != nil && l.Course.Retiring != 0
}

// notRetired refuses to promise more in a cluster that is being retired: quota there would stand on nothing.
func notRetired(s *fleet.State, p *fleet.Partition) *Refusal {
	if !retiring(s, p.Cluster) {
		return nil
	}
	return refuse(WrongState, "cluster %s is being retired, so no more quota is assigned in %s; name a partition of another cluster", p.Cluster, p.ID)
}

// assignedIn lists who has quota or holds in a cluster, and how many GPUs.
func assignedIn(s *fleet.State, cluster string) (whose []string, gpus int) {
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		for _, a := range p.Accounts {
			if a.Grant > 0 {
				whose, gpus = append(whose, fmt.Sprintf("%s (%d in %s)", a.Quota, a.Grant, p.ID)), gpus+a.Grant
			}
		}
		for _, h := range s.Holds {
			if h.Partition == p.ID && !h.Inside() {
				whose, gpus = append(whose, fmt.Sprintf("a hold of %s (%d in %s)", h.Quota, h.GPUs, p.ID)), gpus+h.GPUs
			}
		}
	}
	return whose, gpus
}

func confirmRemoval(s *fleet.State, l *fleet.Life, r Request, c SteerCluster) ([]event.Event, *Refusal) {
	switch {
	case c.Confirm != l.Record.Name:
		return nil, refuse(Invalid, "the infrastructure goes only when it is confirmed by name; %q is not %s", clip(c.Confirm), l.Record.Name)
	case l.Course.Retiring == 0 || l.Course.Emptied == 0:
		return nil, refuse(WrongState, "cluster %s is not ready for it: it is retired first, and its work has to end", l.Record.Name)
	case l.Course.Confirmed != 0:
		return nil, nil
	}
	// A wave of a haircut that was undone since may have assigned quota there again.
	if refusal := stillAssigned(s, l.Record.Name); refusal != nil {
		return nil, refusal
	}
	return one(event.LifeTurned{Cluster: c.Cluster, Stage: event.LifeConfirmed, By: r.Actor.Name})
}
