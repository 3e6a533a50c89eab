package kube

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ownerController asks what makes pods (Jobs, Deployments, ...) how many it makes, and
// whether it has ended.
type ownerController struct {
	*shared
	suspensions *suspensionController

	mu        sync.Mutex
	owners    map[string]owner              // by kind, namespace, name and UID
	unasked   map[string]bool               // owners that could not be asked in this round
	overSince map[workloadKey]fleet.Instant // workloads all of whose pods have ended, and whose owner does not say why
}

func newOwnerController(s *shared, of *suspensionController) *ownerController {
	return &ownerController{shared: s, suspensions: of, owners: map[string]owner{}, overSince: map[workloadKey]fleet.Instant{}}
}

// mostAsked is how many owners are asked in one round about a size that may have changed.
const mostAsked = 50

// askAgain is how long a size is believed that the number of pods does not agree with.
const askAgain = time.Second

// setSizes asks the owners of pods how many pods they make. A gang is submitted with all
// of its replicas, though only some are made yet: its owner is asked once. What is
// scaled is asked whenever it has not as many pods as it said.
func (c *ownerController) setSizes(ctx context.Context, pods []translate.Pod) {
	c.askOwners(ctx, pods)
	for i := range pods {
		p := &pods[i]
		ended := mayBeDone(p)
		if !ended && !asksOwner(p) {
			continue
		}
		is, known := c.owners[ownerKey(p)]
		switch {
		case ended:
			p.Owner.Done = known && is.done(p.Owner.Pool)
		case known && p.Owner.Kind == lwsKind:
			p.Owner.Size = is.group
		case known:
			p.Owner.Size = is.sizeOf(p.Owner.Pool)
		case c.unasked[ownerKey(p)]:
			p.Owner.Size = translate.Unknown
		}
	}
}

// lwsKind is asked about each of its groups, whose pods say how many they are but not
// which of them ask for GPUs.
const lwsKind = "LeaderWorkerSet"

// asksOwner says whether a pod's owner knows how many there will be: of those that
// wait, and of those whose number changes.
func asksOwner(p *translate.Pod) bool {
	if owners[p.Owner.Kind].Resource == "" {
		return false
	}
	return p.Owner.Elastic && p.Managed() || p.Gated && (p.Owner.Kind == lwsKind || p.Owner.Size == 0 && (p.Wishes.Max == 0 || shrinks(p) || p.Owner.Parts()))
}

// shrinks says whether a pod is of what makes fewer pods once part of it has finished.
func shrinks(p *translate.Pod) bool { return p.Owner.Shrinks() && p.Wishes.Workload == "" }

// another says whether an owner is to be asked anew: it has said another number of
// pods than there are. Of a Job or a JobSet some may have finished since, and what is of
// several parts may be edited while it waits.
func another(p *translate.Pod, is *owner, there int) bool {
	if time.Since(is.at) <= askAgain {
		return false
	}
	part, said := is.sizes[p.Owner.Pool]
	return p.Owner.Elastic && is.size != there || shrinks(p) && there < is.sizeOf(p.Owner.Pool) || p.Gated && said && there != part
}

func ownerKey(p *translate.Pod) string {
	return p.Owner.Kind + "/" + p.Namespace + "/" + p.Owner.Name + "/" + uidOf(p)
}

// uidOf tells owners of one name apart, where the pod names the owner itself: that of
// a Deployment's pod is its ReplicaSet, and the Deployment is what is asked.
func uidOf(p *translate.Pod) string {
	if p.Owner.Elastic {
		return ""
	}
	return p.Owner.UID
}

// askOwners asks the owners that are not known yet, and those that have another number
// of pods than they said, several at one time. Those that could not be asked are noted,
// and asked again in the next round.
func (c *ownerController) askOwners(ctx context.Context, pods []translate.Pod) {
	c.unasked = map[string]bool{}
	c.forget(pods)
	there, asked, again := countPods(pods), map[string]bool{}, 0 // see partKey
	var calls []func() error
	for i := range pods {
		p := &pods[i]
		if !asksOwner(p) && !mayBeDone(p) {
			continue
		}
		key := ownerKey(p)
		is, known := c.owners[key]
		part := there[partKey(p)]
		enough := p.Wishes.Max > 0 && !p.Owner.Elastic && !p.Owner.Parts() && part >= p.Wishes.Max // what is annotated is there
		if asked[key] || !(asksOwner(p) || known && lacksSome(p, part)) || enough || known && (again == mostAsked || !another(p, &is, part)) {
			continue
		}
		if known {
			again++
		}
		asked[key] = true
		calls = append(calls, func() error { return c.askOwner(ctx, p, key, known) })
	}
	c.atOnce(ctx, calls)
}

// forget forgets owners that no pod asks for: what they would make takes room.
func (c *ownerController) forget(pods []translate.Pod) {
	asked := make(map[string]bool, len(c.owners))
	for i := range pods {
		if p := &pods[i]; asksOwner(p) || mayBeDone(p) {
			asked[ownerKey(p)] = true
		}
	}
	maps.DeleteFunc(c.owners, func(key string, _ owner) bool { return !asked[key] })
}

// countPods counts the pods of each owner that may make more or fewer.
func countPods(pods []translate.Pod) map[string]int {
	there := map[string]int{}
	for i := range pods {
		if p := &pods[i]; (p.Owner.Elastic || shrinks(p) || p.Owner.Parts()) && !p.Over && !p.Leaving {
			there[partKey(p)]++
		}
	}
	return there
}

// partKey is the key of an owner's part that is counted by itself. What is scaled has
// one part only.
func partKey(p *translate.Pod) string { return ownerKey(p) + "/" + p.Owner.Pool }

// lacksSome says of a pod that has ended whether its part may have finished: nothing of
// it is left that waits or runs.
func lacksSome(p *translate.Pod, there int) bool { return there == 0 && mayBeDone(p) }

// mayBeDone says whether a pod is of a part that may have finished while others have not.
func mayBeDone(p *translate.Pod) bool { return p.Over && p.Owner.Kind == "JobSet" && shrinks(p) }

// askOwner asks an owner; again says that it has other pods than it said before. A Job is asked
// for only then, or where the watch does not show it.
func (c *ownerController) askOwner(ctx context.Context, p *translate.Pod, key string, again bool) error {
	is, ok := c.watch.extras.makerOf(p)
	var err error
	if again || !ok {
		is, ok, err = c.client.ownerOf(ctx, p.Namespace, p.Owner.Kind, p.Owner.Asked())
	}
	if err == nil && ok {
		err = c.readOwner(ctx, p, &is, again)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.unasked[key] = true
	case ok:
		is.at, is.namespace = time.Now(), p.Namespace
		delete(c.owners, key)
		is.staged = c.withinRoom(is)
		c.owners[key] = is
	default:
		delete(c.owners, key)
	}
	return err
}

// endings says of workloads none of whose pods runs or waits whether that is their
// end: pods without an owner have ended, and others when their owner says so.
func (c *ownerController) endings(ctx context.Context, p Snapshot) map[[2]string]ending {
	ends := map[[2]string]ending{}
	for _, w := range p.Work {
		over, failed, by := allOver(w)
		if !over {
			continue
		}
		key := [2]string{w.Namespace, w.Name}
		if by.Kind == "" {
			ends[key] = ending{over: true, failed: failed}
			continue
		}
		e := c.endOf(ctx, w.Namespace, by.Kind, by.Asked())
		if !e.over && !e.lives { // nothing is known that would make others
			if c.overSince[key] == 0 {
				c.overSince[key] = c.Now()
			}
			e.over, e.failed = c.Now() >= c.overSince[key].Add(forgotten), failed
		}
		ends[key] = e
	}
	for key, by := range c.bare(p) {
		if by.Kind == "LeaderWorkerSet" && by.Object != "" {
			ends[key] = c.endOfGroup(ctx, key[0], by)
			continue
		}
		ends[key] = c.endOf(ctx, key[0], by.Kind, by.Asked())
	}
	return ends
}

// endOf asks what makes a workload's pods. What cannot be asked now is taken to live.
func (c *ownerController) endOf(ctx context.Context, namespace, kind, name string) ending {
	is, ok, err := c.client.ownerOf(ctx, namespace, kind, name)
	if err != nil {
		c.Log.Warn("what makes a workload's pods could not be read", "cluster", c.Translate.Cluster, "workload", namespace+"/"+name, "why", err)
		return ending{lives: true}
	}
	is.lives = ok && !is.over && !(is.suspended && c.suspensions.leftSuspended(ownerID{kind, namespace, name}))
	return is.ending
}

// endOfGroup is endOf for one group of a LeaderWorkerSet, which is none any more when
// the set was scaled below it.
func (c *ownerController) endOfGroup(ctx context.Context, namespace string, by translate.Owner) ending {
	is, ok, err := c.client.ownerOf(ctx, namespace, by.Kind, by.Asked())
	if err != nil || !ok {
		return ending{lives: err != nil}
	}
	group, err := strconv.Atoi(strings.TrimPrefix(by.Name, by.Object+"-"))
	return ending{lives: true, none: err == nil && group >= is.size}
}

// bare lists what makes the pods of workloads that have none now.
func (c *ownerController) bare(p Snapshot) map[[2]string]translate.Owner {
	there, list := map[[2]string]bool{}, map[[2]string]translate.Owner{}
	for _, w := range p.Work {
		there[[2]string{w.Namespace, w.Name}] = true
	}
	c.engine.Read(func(s *fleet.State) {
		for _, w := range standingOf(s, c.Translate.Cluster) {
			key := [2]string{w.Namespace, w.Name}
			if kind, name := w.Maker(); kind != "" && !there[key] {
				list[key] = translate.Owner{Kind: kind, Name: w.Name, Object: name}
			}
		}
	})
	return list
}

// allOver says whether all pods of a workload have ended, whether one has failed,
// and what made them.
func allOver(w translate.Work) (over, failed bool, by translate.Owner) {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if !pod.Over {
				return false, false, by
			}
			failed, by = failed || pod.Failed, pod.Owner
		}
	}
	return true, failed, by
}
