package core

import (
	"fmt"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// createQuota creates a quota and those of its parents that do not exist.
func createQuota(s *fleet.State, c CreateQuota) ([]event.Event, *Refusal) {
	if refusal := checkPath(c.Path); refusal != nil {
		return nil, refusal
	}
	if refusal := checkAccess(c.Access); refusal != nil {
		return nil, refusal
	}
	if refusal := checkOwner(c.Owner); refusal != nil {
		return nil, refusal
	}
	if s.Quota(c.Path) != nil {
		return nil, refuse(NameTaken, "quota %q exists already", c.Path)
	}
	var events []event.Event
	for i, r := range c.Path {
		if r == '/' && s.Quota(c.Path[:i]) == nil {
			events = append(events, event.QuotaCreated{Quota: c.Path[:i]})
		}
	}
	return append(events, event.QuotaCreated{Quota: c.Path, Access: c.Access, Owner: c.Owner}), nil
}

func deleteQuota(s *fleet.State, c DeleteQuota) ([]event.Event, *Refusal) {
	if s.Quota(c.Path) == nil {
		return nil, NoQuota(s, c.Path)
	}
	if below := quotasUnder(s, c.Path); len(below) > 0 {
		return nil, refuse(InUse, "quota %q has children (%s); delete them first", c.Path, text.Few(below, 5))
	}
	if refusal := grantLeft(s, c.Path); refusal != nil {
		return nil, refusal
	}
	for _, h := range s.Holds {
		if h.Quota == c.Path {
			return nil, refuse(InUse, "hold %d still earmarks %s for quota %q; release it first", h.ID, text.Count(h.GPUs, "GPU"), c.Path)
		}
	}
	if refusal := workLeft(s, c.Path); refusal != nil {
		return nil, refusal
	}
	return one(event.QuotaDeleted{Quota: c.Path})
}

// quotasUnder are the paths of the quotas under one.
func quotasUnder(s *fleet.State, path string) (below []string) {
	for _, q := range s.Quotas {
		if strings.HasPrefix(q.Path, path+"/") {
			below = append(below, q.Path)
		}
	}
	return below
}

// workLeft refuses to delete a quota that workloads target, or that ones which have ended have not left yet.
func workLeft(s *fleet.State, path string) *Refusal {
	leaving, grace := 0, time.Duration(0)
	for _, w := range s.Workloads {
		targets := w.Target == path
		switch {
		case w.Moves != nil && w.Moves.Target == path, targets && !w.State.Ended():
			return refuse(InUse, "workloads still target quota %q; cancel or retarget them first", path)
		case targets && w.At() != nil:
			leaving, grace = leaving+1, max(grace, w.Grace)
		}
	}
	if leaving == 0 {
		return nil
	}
	return refuse(InUse, "quota %q has no work any more, but %s may take a grace of %s s to leave; wait that long, and try again",
		path, text.Counted(leaving, "workload that ended", "workloads that ended"), text.Group(int(grace.Seconds())))
}

// grantLeft refuses to delete a quota that has a grant.
func grantLeft(s *fleet.State, path string) *Refusal {
	for _, p := range s.Partitions {
		a := p.Account(path)
		if a != nil && a.Grant > 0 && a.Lasting() == 0 {
			return refuse(InUse, "quota %q still has %s of %s until %s; end them first (muster quota grant %s %s 0 --until now)", path, text.Count(a.Grant, "GPU"), p.ID, momentText(a.Temporary.Until), path, p.ID)
		}
		if a != nil && a.Grant > 0 {
			return refuse(InUse, "quota %q still has a grant of %s in %s; set it to 0 first", path, text.Count(a.Grant, "GPU"), p.ID)
		}
	}
	return nil
}

func setAccess(s *fleet.State, c SetAccess) ([]event.Event, *Refusal) {
	if s.Quota(c.Path) == nil {
		return nil, NoQuota(s, c.Path)
	}
	if refusal := checkAccess(c.Access); refusal != nil {
		return nil, refusal
	}
	return one(event.AccessSet{Quota: c.Path, Access: c.Access})
}

// notNegative checks a figure that may be any number of GPUs.
func notNegative(what string, gpus int) *Refusal {
	if gpus < 0 {
		return refuse(Invalid, "%s of %s; it must be 0 or more", what, text.Count(gpus, "GPU"))
	}
	return nil
}

// wholeNodes checks a figure that must be zero or more GPUs in whole nodes.
func wholeNodes(p *fleet.Partition, what string, gpus int) *Refusal {
	if refusal := notNegative(what, gpus); refusal != nil {
		return refusal
	}
	if gpus%p.GPUsPerNode != 0 {
		return refuse(NotWholeNodes, "%s of %s in %s; nodes there have %s, so use a multiple", what, text.Count(gpus, "GPU"), p.ID, text.Count(p.GPUsPerNode, "GPU")).
			with(map[string]int{"gpus": gpus, "gpusPerNode": p.GPUsPerNode})
	}
	return nil
}

// sustainable is what people may assign in a partition, in GPUs.
func sustainable(s *fleet.State, p *fleet.Partition, now fleet.Instant) int {
	return promise.CapacityOf(s, p, now).Sustainable * p.GPUsPerNode
}

// endsText says what of a grant ends, and so is not given on.
func endsText(a *fleet.Account) string {
	if a.Temporary.GPUs == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d that end at %s and are not given on", a.Temporary.GPUs, momentText(a.Temporary.Until))
}

func transfer(s *fleet.State, c Transfer) ([]event.Event, *Refusal) {
	p, refusal := placeOf(s, c.From, c.Partition)
	if refusal != nil {
		return nil, refusal
	}
	if s.Quota(c.To) == nil {
		return nil, NoQuota(s, c.To)
	}
	if refusal := notNegative("a transfer", c.GPUs); refusal != nil {
		return nil, refusal
	}
	has, ends := 0, ""
	if a := p.Account(c.From); a != nil {
		has, ends = a.Lasting(), endsText(a)
	}
	switch {
	case c.From == c.To:
		return nil, refuse(Invalid, "%s would give to itself; name the quota that gets the GPUs", c.From)
	case c.GPUs == 0:
		return nil, refuse(Invalid, "a transfer of 0 GPUs moves nothing; write how many move, as in %d", p.GPUsPerNode)
	case c.GPUs > has:
		return nil, refuse(Invalid, "%s cannot move from %s to %s: %s has %s in %s%s", text.Count(c.GPUs, "GPU"), c.From, c.To, c.From, text.Group(has), p.ID, ends).
			with(map[string]int{"assigned": has, "gpus": c.GPUs})
	}
	return one(event.GrantTransferred(c))
}

func placeHold(s *fleet.State, c PlaceHold, now fleet.Instant) ([]event.Event, *Refusal) {
	p, refusal := placeOf(s, c.Quota, c.Partition)
	if refusal != nil {
		return nil, refusal
	}
	switch {
	case c.GPUs <= 0:
		return nil, refuse(Invalid, "a hold of %s holds nothing; write how many it holds, as in %d", text.Count(c.GPUs, "GPU"), p.GPUsPerNode)
	case c.Until <= now:
		return nil, refuse(Invalid, "a hold until %s has ended before it begins; name a moment that is still to come (--until)", momentText(c.Until))
	}
	h := fleet.Hold{
		ID: s.NextHold, Quota: c.Quota, Partition: c.Partition, GPUs: c.GPUs, Until: c.Until, User: c.User, Namespace: c.Namespace,
	}
	if h.Inside() {
		h.Since = now
		return placeInside(p, h)
	}
	if refusal := notRetired(s, p); refusal != nil {
		return nil, refusal
	}
	if refusal := wholeNodes(p, "a hold", c.GPUs); refusal != nil {
		return nil, refusal
	}
	_, all := s.Held(c.Partition, c.Quota, now)
	if after, limit := p.Assigned()+all+c.GPUs, sustainable(s, p, now); after > limit {
		return nil, refuse(Overpromise, "%s would have %s assigned and held, and can sustain %d", p.ID, text.Count(after, "GPU"), limit).
			with(map[string]int{"assigned": p.Assigned(), "held": all, "wanted": c.GPUs, "sustainable": limit})
	}
	return one(event.HoldPlaced{Hold: h})
}

// placeInside places a hold inside a quota: all of them together stay within the
// grant. They need no whole nodes, for they promise none.
func placeInside(p *fleet.Partition, h fleet.Hold) ([]event.Event, *Refusal) {
	if h.User != "" && h.Namespace != "" {
		return nil, refuse(Invalid, "a hold is for a user or for a namespace, not for both")
	}
	if refusal := checkName("holder", h.User+h.Namespace); refusal != nil {
		return nil, refusal
	}
	grant, held := 0, 0
	if a := p.Account(h.Quota); a != nil {
		grant, held = a.Grant, a.InsideHeldGPUs()
	}
	if held+h.GPUs > grant {
		return nil, refuse(Overpromise, "%s has %s assigned in %s and %s of them held for its users and namespaces; %s more are not there",
			h.Quota, text.Count(grant, "GPU"), p.ID, text.Group(held), text.Group(h.GPUs)).
			with(map[string]int{"assigned": grant, "held": held, "wanted": h.GPUs})
	}
	return one(event.HoldPlaced{Hold: h})
}

func releaseHold(s *fleet.State, c ReleaseHold) ([]event.Event, *Refusal) {
	for _, h := range s.Holds {
		if h.ID == c.ID {
			return one(event.HoldEnded{ID: c.ID, Why: "released"})
		}
	}
	return nil, refuse(NoSuchHold, "there is no hold %d", c.ID)
}

// placeOf finds the partition of a command that names a quota and a partition.
func placeOf(s *fleet.State, quota, partition string) (*fleet.Partition, *Refusal) {
	if s.Partition(quota) != nil && s.Quota(partition) != nil && s.Quota(quota) == nil {
		return nil, refuse(NoSuchQuota, "%q is a partition and %q a quota: they are swapped, write the quota first", quota, partition)
	}
	if s.Quota(quota) == nil {
		return nil, NoQuota(s, quota)
	}
	p := s.Partition(partition)
	if p == nil {
		return nil, NoPartition(s, partition)
	}
	return p, nil
}

// NoQuota refuses the path of a quota that there is not, and says which may be meant.
func NoQuota(s *fleet.State, path string) *Refusal {
	if s.Partition(path) != nil {
		return refuse(NoSuchQuota, "there is no quota %q, but a partition; muster quota list --partition %s shows the quotas there", path, path)
	}
	if s.Cluster(path) != nil {
		return refuse(NoSuchQuota, "there is no quota %q, but a cluster; muster quota list shows those there are", path)
	}
	return noSuch(NoSuchQuota, "quota", path, "muster quota list shows those there are", s.Quotas, func(q *fleet.Quota) string { return q.Path })
}

// NoPartition refuses the name of a partition that there is not, and says which may be meant.
func NoPartition(s *fleet.State, id string) *Refusal {
	var known []string
	for _, p := range s.Partitions {
		known = append(known, p.ID)
	}
	if len(known) == 0 {
		return refuse(NoSuchPartition, "there is no partition %q; there are none yet", clip(id))
	}
	return noSuch(NoSuchPartition, "partition", id, "there are: "+strings.Join(known, ", "), known, func(id string) string { return id })
}

func checkOwner(owner string) *Refusal {
	if len(owner) > MaxName {
		return refuse(Invalid, "the owner of a quota has %d bytes; at most %d are allowed", len(owner), MaxName)
	}
	return checkTexts("the owner of a quota", owner)
}

func setOwner(s *fleet.State, c SetOwner) ([]event.Event, *Refusal) {
	q := s.Quota(c.Path)
	if q == nil {
		return nil, NoQuota(s, c.Path)
	}
	if refusal := checkOwner(c.Owner); refusal != nil || q.Owner == c.Owner {
		return nil, refusal
	}
	return one(event.QuotaOwned{Quota: c.Path, Owner: c.Owner, Was: q.Owner})
}
