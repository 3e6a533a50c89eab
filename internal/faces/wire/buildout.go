package wire

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadBlueprint reads a blueprint.
func ReadBlueprint(m *musterv1.Blueprint) (fleet.Blueprint, error) {
	b := fleet.Blueprint{
		Name: m.GetName(), Version: int(m.GetVersion()), RequestQuota: m.GetRequestQuota(), Checkin: fleet.CheckinWay(m.GetCheckin()),
		Projects: m.GetProjects(), Services: m.GetServices(), Parallel: m.GetParallel(), Mode: fleet.Mode(m.GetMode()), Runner: m.GetRunner(),
	}
	for _, x := range m.GetMeters() {
		b.Meters = append(b.Meters, fleet.Meter{Meter: x.GetMeter(), PerNode: int(x.GetPerNode())})
	}
	var err error
	if b.Ready, err = readPermille("blueprint.ready", m.GetReady()); err != nil {
		return b, err
	}
	for step, d := range m.GetTakes() {
		took, err := ReadDuration("blueprint.takes["+step+"]", d)
		if err != nil {
			return b, err
		}
		if b.Takes == nil {
			b.Takes = map[fleet.Step]time.Duration{}
		}
		b.Takes[fleet.Step(step)] = took
	}
	return b, nil
}

// Blueprint is a blueprint as a message.
func Blueprint(b *fleet.Blueprint) *musterv1.Blueprint {
	m := &musterv1.Blueprint{
		Name: b.Name, Version: int32(b.Version), RequestQuota: b.RequestQuota, Checkin: string(b.Checkin), Projects: b.Projects, Services: b.Services,
		Ready: Share(b.Ready), Parallel: b.Parallel, Mode: string(b.Mode), Runner: b.Runner, Takes: map[string]*durationpb.Duration{},
	}
	for _, x := range b.Meters {
		m.Meters = append(m.Meters, &musterv1.Meter{Meter: x.Meter, PerNode: int32(x.PerNode)})
	}
	for step, d := range b.Takes {
		m.Takes[string(step)] = durationpb.New(d)
	}
	return m
}

// ReadRecord reads the record of a cluster.
func ReadRecord(m *musterv1.ClusterRecord) (fleet.ClusterRecord, error) {
	r := fleet.ClusterRecord{
		Name: m.GetName(), Provider: m.GetProvider(), Subscription: m.GetSubscription(), Region: m.GetRegion(), SKU: m.GetSku(), GPU: m.GetGpu(),
		GPUsPerNode: int(m.GetGpusPerNode()), Owner: m.GetOwner(), Priority: ReadPriority(m.GetPriority()), Blueprint: m.GetBlueprint(), Variables: m.GetVariables(),
	}
	for _, i := range m.GetIslands() {
		r.Islands = append(r.Islands, fleet.RecordIsland{Name: i.GetName(), Nodes: int(i.GetNodes())})
	}
	if m.GetWantedBy() == nil {
		return r, nil
	}
	var err error
	r.WantedBy, err = ReadInstant("record.wanted_by", m.GetWantedBy())
	return r, err
}

// ClusterRecord is the record of a cluster as a message.
func ClusterRecord(r *fleet.ClusterRecord) *musterv1.ClusterRecord {
	m := &musterv1.ClusterRecord{
		Name: r.Name, Provider: r.Provider, Subscription: r.Subscription, Region: r.Region, Sku: r.SKU, Gpu: r.GPU, GpusPerNode: int32(r.GPUsPerNode),
		Owner: r.Owner, Priority: r.Priority.String(), WantedBy: Instant(r.WantedBy), Blueprint: r.Blueprint, Variables: r.Variables,
	}
	for _, i := range r.Islands {
		m.Islands = append(m.Islands, &musterv1.PlannedIsland{Name: i.Name, Nodes: int32(i.Nodes)})
	}
	return m
}

// ClusterLife is a cluster that is built as a message.
func ClusterLife(c *clusterlife.Cluster) *musterv1.ClusterLife {
	l, w := c.Life, c.Waits()
	return &musterv1.ClusterLife{
		Record: ClusterRecord(&l.Record), BlueprintVersion: int32(l.Version), Generation: int32(l.Generation),
		Phase: string(c.Verdict.Phase), Degraded: c.Verdict.Degraded, Held: l.Course.Held != 0, Late: c.Late(), Person: w.Person,
		Waits: string(w.Type), On: w.On.System, Since: Instant(w.Since), Why: c.Why, Link: w.On.Link,
		Entered: Instant(l.Entered), Produced: Instant(l.Course.Produced), P50: Instant(c.Verdict.InProduct.P50), P90: Instant(c.Verdict.InProduct.P90),
		Touches: int32(len(l.Touches)), Missing: int32(c.Claim.Missing()), Reserved: int32(c.Claim.Reserved()), Gpus: int32(l.Record.Nodes() * l.Record.GPUsPerNode),
	}
}

// ClusterConditions are a cluster's conditions as messages.
func ClusterConditions(c *clusterlife.Cluster) (list []*musterv1.ClusterCondition) {
	for _, x := range c.Verdict.Conditions {
		was, _ := c.Life.Condition(x.Type)
		list = append(list, &musterv1.ClusterCondition{
			Type: string(x.Type), Status: string(x.Status), Reason: x.Reason, Message: x.Message, Since: Instant(x.Since),
			On: x.On.System, Object: x.On.Object, Link: x.On.Link, Person: x.Person, Tries: int32(x.Try.Tries), NextTry: Instant(x.Try.Next), Error: x.Try.Error,
			P50: Instant(x.Expect.P50), P90: Instant(x.Expect.P90), Late: x.Expect.Late, Took: length(was.Took),
		})
	}
	return list
}

// ClusterSteps are a cluster's steps as messages.
func ClusterSteps(l *fleet.Life) (list []*musterv1.ClusterStep) {
	for _, s := range l.Steps {
		list = append(list, &musterv1.ClusterStep{
			Step: string(s.Step), Tries: int32(s.Tries), Operations: int32(s.Begun), Operation: s.Operation.ID, State: string(s.Operation.State),
			Began: Instant(s.Operation.Started), Ended: Instant(s.Operation.Ended), Link: s.Operation.Link,
			Class: string(s.Trouble.Class), Error: s.Trouble.Error, NextTry: Instant(s.Trouble.Next),
		})
	}
	return list
}

// ClusterTouches are what people had to do as messages.
func ClusterTouches(l *fleet.Life) (list []*musterv1.ClusterTouch) {
	for _, t := range l.Touches {
		list = append(list, &musterv1.ClusterTouch{What: t.What, Step: string(t.Step), By: t.By, At: Instant(t.At), Waited: length(t.Waited)})
	}
	return list
}

// MeterClaims are what a cluster has and needs as messages.
func MeterClaims(c *buildout.Claim) (list []*musterv1.MeterClaim) {
	for _, m := range c.Meters {
		list = append(list, &musterv1.MeterClaim{
			Meter: m.Meter, Reserved: int32(m.Reserved), Settled: int32(m.Settled), Needs: int32(m.Needs), Missing: int32(m.Missing),
		})
	}
	return list
}

// CloudLedger is the ledger of a cloud account as a message; a is what the cloud says, nil: nothing yet.
func CloudLedger(g *buildout.Ledger, a *fleet.CloudAccount) *musterv1.CloudLedger {
	m := &musterv1.CloudLedger{Account: g.Account, Fresh: g.Known}
	if a != nil {
		m.Read, m.Error, m.ErrorClass = Instant(a.Read), a.Error, string(a.Class)
	}
	for _, x := range g.Meters {
		m.Meters = append(m.Meters, &musterv1.MeterLedger{
			Meter: x.Meter, Limit: int32(x.Limit), Used: int32(x.Used), Reserved: int32(x.Reserved), Free: int32(max(0, x.Free)),
		})
	}
	for i := range g.Claims {
		m.Claims = append(m.Claims, &musterv1.LedgerClaim{Cluster: g.Claims[i].Cluster, Meters: MeterClaims(&g.Claims[i])})
	}
	return m
}
