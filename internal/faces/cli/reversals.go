package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// reversible is what of an event its undo needs.
type reversible struct {
	ID                                    uint64
	Name, Quota, Partition, Node, Cluster string
	From, To, Scope                       string
	Was, Owner                            any // GPUs, or an owner
	Planned, New                          bool
	GPUs, Gang, Left                      int
	Temporary, WasTemporary               foreseenEnd
	Hold, Request                         struct{ ID uint64 }
	Spec                                  struct{ Namespace, Name string }
	Haircut                               any // its name, or all of it
	Zone, Notice, Update                  endable
	Pool, Max                             any // numbers
}

// endable is a thing that an event sets and that people end, or no such thing: other events only name one.
type endable struct {
	Name   string
	Ended  int64
	Record struct{ Added, Withdrawn int64 } // of an update
}

// UnmarshalJSON reads the thing where there is one.
func (e *endable) UnmarshalJSON(data []byte) error {
	type plain endable
	_ = json.Unmarshal(data, (*plain)(e))
	return nil
}

// unlessEnded is a command that ends what is not over.
func unlessEnded(ended int64, line ...string) []string {
	if ended != 0 {
		return nil
	}
	return line
}

// plan is the name of the haircut that an event saves.
func (f reversible) plan() string {
	whole, _ := f.Haircut.(map[string]any)
	name, _ := whole["name"].(string)
	return name
}

// reversals are the commands that take events back, by kind of event. node.changed and rollout.set are taken back with
// the whole record that has them, and so are not here. A command may be nil, where this event of its kind has none.
var reversals = map[string]func(ctx context.Context, a *app, f reversible, r *musterv1.Record) []string{
	"grant.set": func(ctx context.Context, a *app, f reversible, r *musterv1.Record) []string {
		return a.regrant(ctx, f, r)
	},
	// A transfer moves what it says each time: the key lets its undo be done once.
	"grant.transferred": func(_ context.Context, _ *app, f reversible, r *musterv1.Record) []string {
		return []string{"quota", "transfer", f.To, f.From, f.Partition, fmt.Sprint(f.GPUs), "--idempotency-key", fmt.Sprintf("undo-%d", r.GetSeq())}
	},
	"policy.set":     rebuffered,
	"buffer.set":     rebuffered,
	"buffer.cleared": rebuffered,
	"quota.created":  plainly(func(f reversible) []string { return []string{"quota", "delete", f.Quota} }),
	"quota.owned": plainly(func(f reversible) []string {
		if was, _ := f.Was.(string); was != "" {
			return []string{"quota", "owner", f.Quota, was}
		}
		return []string{"quota", "owner", f.Quota, "--none"}
	}),
	"hold.placed":     plainly(func(f reversible) []string { return []string{"quota", "hold", "--release", fmt.Sprint(f.Hold.ID)} }),
	"request.made":    plainly(func(f reversible) []string { return []string{"quota", "withdraw", fmt.Sprint(f.Request.ID)} }),
	"incident.opened": plainly(func(f reversible) []string { return []string{"incident", "close", f.Name} }),
	"zone.set":        plainly(func(f reversible) []string { return unlessEnded(f.Zone.Ended, "nfz", "end", f.Zone.Name) }),
	"notice.set":      plainly(func(f reversible) []string { return unlessEnded(f.Notice.Ended, "notice", "cancel", f.Notice.Name) }),
	// Muster writes updates anew, too, as it measures them: the record that adds one is taken back.
	"update.set": func(_ context.Context, _ *app, f reversible, r *musterv1.Record) []string {
		if f.Update.Record.Added != r.GetAt().AsTime().UnixNano() {
			return nil
		}
		return unlessEnded(f.Update.Record.Withdrawn, "update", "withdraw", f.Update.Name)
	},
	"workload.prioritised": rework(reprioritised),
	"workload.retargeted":  rework(retargeted),
	"workload.resized":     rework(resizedBack),
	"haircut.planned":      plainly(func(f reversible) []string { return []string{"haircut", "delete", f.plan()} }),
	"haircut.applied":      plainly(func(f reversible) []string { return []string{"haircut", "undo", fmt.Sprint(f.Haircut), f.Cluster} }),
	"workload.submitted": plainly(func(f reversible) []string {
		return []string{"job", "cancel", f.Spec.Namespace + "/" + f.Spec.Name}
	}),
}

// plainly is a reversal that the event alone decides.
func plainly(line func(f reversible) []string) func(context.Context, *app, reversible, *musterv1.Record) []string {
	return func(_ context.Context, _ *app, f reversible, _ *musterv1.Record) []string { return line(f) }
}

func rebuffered(ctx context.Context, a *app, f reversible, r *musterv1.Record) []string {
	return a.rebuffer(ctx, cmp.Or(f.Scope, wholeFleet), r)
}

// reverse is the command that takes an event back, nil where none does.
func (a *app) reverse(ctx context.Context, kind string, f reversible, r *musterv1.Record) []string {
	if by := reversals[kind]; by != nil {
		return by(ctx, a, f, r)
	}
	return nil
}

// nodeUndo is the verb that takes a person's change of a node's state back; "" where none does.
// Planned work and automation change nodes in the records of others, too.
func nodeUndo(f reversible) string {
	switch {
	case f.Planned, f.Owner == "automatic", f.Owner == "cluster":
		return ""
	case (f.From == "healthy" || f.From == "probation") && (f.To == "maintenance" || f.To == "suspect"):
		return "uncordon"
	case f.From == "healthy" && f.To == "quarantined":
		return setsHealthy // uncordon refuses what neither cordon nor drain took out
	case f.From == "probation" && f.To == "quarantined":
		return setsProbation
	case f.From == "maintenance":
		return "drain"
	case f.From == "suspect":
		return "cordon"
	}
	return ""
}

// What takes nodes back that were taken out by a state of their own, such as after a validation that failed.
const (
	setsHealthy   = "set healthy"
	setsProbation = "set probation"
)

// nodeLine is the command that a verb of nodeUndo stands for.
func nodeLine(verb string, names []string) []string {
	if state, is := strings.CutPrefix(verb, "set "); is {
		return append(append([]string{"node", "set"}, names...), "--state", state)
	}
	return append([]string{"node", verb}, names...)
}

// regrant gives a quota the grant that it had before a record, with the gang of that grant; with
// --overcommit where it would be refused as a promise that cannot be kept.
func (a *app) regrant(ctx context.Context, f reversible, r *musterv1.Record) []string {
	for _, e := range r.GetEvents() {
		if e.GetKind() == "grant.transferred" || e.GetKind() == "haircut.applied" || e.GetKind() == "haircut.undone" {
			return nil // what it did to grants is taken back as a whole
		}
	}
	line := []string{"quota", "grant", f.Quota, f.Partition}
	if f.New {
		return append(line, "none")
	}
	req := &musterv1.SetGrantRequest{Quota: f.Quota, Partition: f.Partition}
	if f.Temporary != f.WasTemporary {
		if f.WasTemporary.GPUs == 0 {
			return append(line, "0", "--until", "now")
		}
		until := time.Unix(0, f.WasTemporary.Until).UTC()
		req.Gpus, req.Until = int32(f.WasTemporary.GPUs), timestamppb.New(until)
		line = append(line, fmt.Sprint(f.WasTemporary.GPUs), "--until", until.Format(time.RFC3339))
		return a.overcommitted(ctx, req, r, a.withGang(ctx, req, r, line))
	}
	was, _ := f.Was.(float64)
	req.Gpus = int32(was) - int32(f.WasTemporary.GPUs) // what ends by itself stays, and is no part of what is set
	line = append(line, fmt.Sprint(req.Gpus))
	line = a.withGang(ctx, req, r, line)
	if int(was) == f.GPUs && int(req.GetGang()) == f.Gang {
		return nil // the same was granted again
	}
	return a.overcommitted(ctx, req, r, line)
}

// withGang adds the gang that a grant declared before a record.
func (a *app) withGang(ctx context.Context, req *musterv1.SetGrantRequest, r *musterv1.Record, line []string) []string {
	before, err := a.client().Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{AsOf: timestamppb.New(r.GetAt().AsTime().Add(-1)), Path: req.GetQuota()})
	for _, g := range before.GetQuota().GetGrants() {
		if err == nil && g.GetPartition() == req.GetPartition() && g.GetGang() > 0 {
			req.Gang = &g.Gang
			line = append(line, "--gang", fmt.Sprint(g.GetGang()))
		}
	}
	return line
}

// rebuffer gives a scope the buffer policy that it had before a record; nil where that record changes
// no buffer policy.
func (a *app) rebuffer(ctx context.Context, scope string, r *musterv1.Record) []string {
	before, err := a.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{AsOf: timestamppb.New(r.GetAt().AsTime().Add(-1))})
	after, err2 := a.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{AsOf: r.GetAt()})
	was, is := bufferOf(before, scope), bufferOf(after, scope)
	if err != nil || err2 != nil || proto.Equal(was, is) {
		return nil
	}
	return append([]string{"buffer", "set", scope}, policyTyped(was)...)
}

// bufferOf is a scope's own buffer policy; nil: it has none.
func bufferOf(f *musterv1.GetFleetResponse, scope string) *musterv1.Buffer {
	if scope == wholeFleet {
		return f.GetPolicy().GetBuffer()
	}
	return f.GetBuffers()[scope]
}

// overcommitted adds --overcommit to a command that sets a grant, where a dry run of it says that it needs that.
func (a *app) overcommitted(ctx context.Context, req *musterv1.SetGrantRequest, r *musterv1.Record, line []string) []string {
	req.Write = &musterv1.Write{DryRun: true, Reason: undoing + fmt.Sprint(r.GetSeq())}
	_, err := a.client().Quotas.SetGrant(ctx, req)
	var refusal *client.Refusal
	if errors.As(err, &refusal) && (refusal.Code == client.Overpromise || refusal.Code == client.GangTooLarge) {
		line = append(line, "--overcommit")
	}
	return line
}
