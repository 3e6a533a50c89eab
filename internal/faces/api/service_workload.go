package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Submit submits a workload.
func (s workloadService) Submit(ctx context.Context, m *musterv1.SubmitRequest) (*musterv1.SubmitResponse, error) {
	sp, err := wire.ReadSpec("spec", m.GetSpec(), callerOf(ctx).actor)
	if err == nil {
		err = ownCluster(sp.Namespace)
	}
	if err != nil {
		return nil, err
	}
	if err := s.mayWait(callerOf(ctx), sp); err != nil {
		return nil, err
	}
	w, record, err := s.submit(ctx, m, core.Submit{Spec: sp})
	if callerOf(ctx).seesNamespace("")(sp.Namespace) { // else the name is only a guess, or takes another's place
		s.refused.note(sp, err, s.now())
	}
	s.noteGrace(w, sp)
	s.noteWait(ctx, w, record, sp)
	res := &musterv1.SubmitResponse{Written: w}
	if ids := submittedIn(record); !w.GetDryRun() && len(ids) > 0 {
		res.Id = ids[0]
	}
	return res, err
}

// SubmitBatch submits workloads together or not at all.
func (s workloadService) SubmitBatch(ctx context.Context, m *musterv1.SubmitBatchRequest) (*musterv1.SubmitBatchResponse, error) {
	c, specs := core.Batch{Commands: make([]core.Command, len(m.GetSpecs()))}, make([]fleet.Spec, len(m.GetSpecs()))
	for i, one := range m.GetSpecs() {
		sp, err := wire.ReadSpec(fmt.Sprintf("specs[%d]", i), one, callerOf(ctx).actor)
		if err == nil {
			err = ownCluster(sp.Namespace)
		}
		if err != nil {
			return nil, err
		}
		specs[i], c.Commands[i] = sp, core.Submit{Spec: sp}
	}
	if err := s.mayWait(callerOf(ctx), specs...); err != nil {
		return nil, err
	}
	w, ids, err := s.submitAll(ctx, m, c)
	for _, one := range c.Commands {
		s.noteGrace(w, one.(core.Submit).Spec)
	}
	return &musterv1.SubmitBatchResponse{Written: w, Ids: ids}, err
}

// submitAll submits a batch, in parts if it is large.
func (s *service) submitAll(ctx context.Context, m *musterv1.SubmitBatchRequest, c core.Batch) (*musterv1.Written, []uint64, error) {
	if len(c.Commands) > atOnce && !m.GetWrite().GetDryRun() {
		return s.submitInParts(ctx, m, c.Commands)
	}
	w, record, err := s.submit(ctx, m, c)
	if w.GetDryRun() {
		return w, nil, err
	}
	return w, submittedIn(record), err
}

// ownCluster refuses a namespace with the name of a cluster: what is there its agent says,
// and work of that name from elsewhere would hide it.
func ownCluster(namespace string) error {
	if _, cluster, of := strings.Cut(namespace, "@"); of {
		return &core.Refusal{Code: core.DecidedElsewhere, Message: "namespace " + namespace + " is on cluster " + cluster + ", whose agent alone brings work of it; submit it there"}
	}
	return nil
}

// noteGrace says that a workload has less time to leave than it wished for.
func (s *service) noteGrace(w *musterv1.Written, sp fleet.Spec) {
	if w == nil {
		return
	}
	most := sp.Grace
	s.engine.Peek(func(state *fleet.State) { most = state.Policy.MaxGrace })
	if sp.Grace > most {
		w.Notes = append(w.Notes, fmt.Sprintf("%s/%s has a grace of %s, not %s: it is the most that the policy gives (maxGrace).",
			sp.Namespace, sp.Name, words.Duration(most), words.Duration(sp.Grace)))
	}
}

// aheadOfNote is how many waiting units of each kind are on the copy for a note.
const aheadOfNote = 64

// noteWait says of a submission that was only tried why it would wait. It is tried on a copy without
// what waits far behind: a reason names who is first. Where that fails there is only less to say.
func (s *service) noteWait(ctx context.Context, w *musterv1.Written, tried event.Record, sp fleet.Spec) {
	if !w.GetDryRun() || placed(tried) {
		return
	}
	var state *fleet.State
	var at fleet.Instant
	if _, err := s.readBy(s.engine.Ponder, func(is *fleet.State, now fleet.Instant) error { state, at = is.ForkAhead(aheadOfNote), now; return nil }); err != nil {
		return
	}
	if _, refusal := core.Step(state, core.Request{Command: core.Submit{Spec: sp}, Actor: callerOf(ctx).actor}, at); refusal != nil {
		return
	}
	if job := state.Workload(sp.Namespace, sp.Name); job != nil && job.State == fleet.Pending {
		if list := callerOf(ctx).reader().Why(state, job, at); len(list) > 0 {
			w.Notes = append(w.Notes, fmt.Sprintf("%s. %s: %s", wouldWait[explain.AnswerOf(list) == explain.Impossible], list[0].Code, list[0].Text))
		}
	}
}

// wouldWait says what becomes of work that does not start at once, by whether it never will as it is.
var wouldWait = map[bool]string{true: "It would not start by waiting", false: "It would wait"}

// placed says whether what a record submits has its room at once.
func placed(r event.Record) bool {
	ids := submittedIn(r)
	return slices.ContainsFunc(r.Events, func(e event.Event) bool {
		p, is := e.(event.ReplicasPlaced)
		return is && slices.Contains(ids, p.ID)
	})
}

// submit does a command that submits, or tries it, and returns the record that it led to.
func (s *service) submit(ctx context.Context, m writeMessage, c core.Command) (w *musterv1.Written, r event.Record, err error) {
	result, w, err := s.write(ctx, m, c)
	if err != nil || w.GetDryRun() {
		return w, result.Record, err
	}
	r, err = s.original(ctx, result)
	return w, r, err
}

// Cancel takes a workload back.
func (s workloadService) Cancel(ctx context.Context, m *musterv1.CancelRequest) (*musterv1.CancelResponse, error) {
	w, err := s.written(ctx, m, core.Cancel{Namespace: m.GetNamespace(), Name: m.GetName()}, nil)
	return &musterv1.CancelResponse{Written: w}, err
}

// Retarget gives a workload another target.
func (s workloadService) Retarget(ctx context.Context, m *musterv1.RetargetRequest) (*musterv1.RetargetResponse, error) {
	c := core.Retarget{Namespace: m.GetNamespace(), Name: m.GetName(), Target: m.GetTarget(), Partition: m.GetPartition()}
	w, err := s.written(ctx, m, c, nil)
	return &musterv1.RetargetResponse{Written: w}, err
}

// SetPriority gives a workload another priority.
func (s workloadService) SetPriority(ctx context.Context, m *musterv1.SetPriorityRequest) (*musterv1.SetPriorityResponse, error) {
	c := core.Prioritise{Namespace: m.GetNamespace(), Name: m.GetName(), Priority: wire.ReadPriority(m.GetPriority())}
	w, err := s.written(ctx, m, c, nil)
	return &musterv1.SetPriorityResponse{Written: w}, err
}

// Resize gives a pool of a workload another size.
func (s workloadService) Resize(ctx context.Context, m *musterv1.ResizeRequest) (*musterv1.ResizeResponse, error) {
	c := core.Resize{Namespace: m.GetNamespace(), Name: m.GetName(), Pool: m.GetPool(), Min: int(m.GetMin()), Max: int(m.GetMax())}
	var err error
	if c.Min > c.Max {
		err = wire.Wrong("min", "is %d, above max, which is %d; a pool has min replicas at least and max at most", c.Min, c.Max)
	}
	if err == nil {
		err = s.mayResize(callerOf(ctx), m)
	}
	w, err := s.written(ctx, m, c, err)
	return &musterv1.ResizeResponse{Written: w}, err
}

// GetWorkload is one workload as it stands.
func (s workloadService) GetWorkload(ctx context.Context, m *musterv1.GetWorkloadRequest) (*musterv1.GetWorkloadResponse, error) {
	out := &musterv1.GetWorkloadResponse{}
	seen, err := s.study(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		w, err := s.findAt(ctx, m.GetAsOf(), state, m.GetNamespace(), m.GetName())
		if err != nil {
			return err
		}
		out.Workload = wire.Workload(state, w, view.WorkloadOf(state, w, at))
		out.Workload.Reason = firstReason(explain.Why(state, w, at))
		return nil
	})
	out.Seen = seen
	return out, err
}

// reasoning is how long the reasons of one answer may be looked for: meanwhile few other
// questions are answered.
const reasoning = 50 * time.Millisecond

// shortList is how long a list of workloads is at most of which the reasons are found soon.
const shortList = 200

// ListWorkloads lists workloads in order of submission; fewer than asked for, if they are
// more than one answer may weigh, or their reasons take longer than others should wait. Which they are is found
// among all, where it keeps no other from looking. So who asks for reasons looks twice, and is alone only for those.
func (s workloadService) ListWorkloads(ctx context.Context, m *musterv1.ListWorkloadsRequest) (*musterv1.ListWorkloadsResponse, error) {
	l := &list{listing: listing{m, orElse(m.GetLimit(), 1000), callerOf(ctx)}, room: room(ctx), out: &musterv1.ListWorkloadsResponse{}}
	whole := func(state *fleet.State, at fleet.Instant) error {
		err := l.find(state)
		if err == nil {
			l.tell(state, at)
		}
		return err
	}
	var seen *musterv1.Seen
	var err error
	switch {
	case !m.GetReasons():
		seen, err = s.read(ctx, m.GetAsOf(), whole)
	case m.GetAsOf() != nil: // that state is the caller's own
		seen, err = s.study(ctx, m.GetAsOf(), whole)
	default:
		seen, err = s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error { return l.find(state) })
		if err == nil && len(l.ids) > 0 {
			seen, err = s.reasoned(ctx, l)
		}
	}
	l.out.Seen = seen
	return l.out, err
}

// reasoned tells of the workloads that were found, each with why it waits.
func (s workloadService) reasoned(ctx context.Context, l *list) (*musterv1.Seen, error) {
	alone := s.study
	if l.limit > shortList {
		alone = s.ponder
	}
	return alone(ctx, nil, func(state *fleet.State, at fleet.Instant) error {
		l.again(state)
		l.tell(state, at)
		return nil
	})
}
