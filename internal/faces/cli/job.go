package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newJob(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "job", Aliases: []string{"jobs", "workload", "workloads"}, Short: "workloads: submit, list, show, cancel, retarget, priority, resize"}
	return group(cmd, newSubmit(a, "muster job submit"), newJobList(a), newJobShow(a), newJobCancel(a), newJobRetarget(a), newJobPriority(a), newJobResize(a))
}

// jobListOptions are those of `muster job list`.
type jobListOptions struct {
	*app
	reading
	namespace, target, partition, user string
	failedBy                           string
	states                             []string
	all, waits, reasons, mine, evicted bool
	limit                              int32
}

func newJobList(a *app) *cobra.Command {
	o := &jobListOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list workloads, in order of submission; with ended ones the newest first",
		Example: "  muster job list --waiting\n  muster job list --target research -o wide\n  muster job list --mine --sort -gpus\n  muster job list --failed-by node\n  muster job list --evicted --mine\n  muster job list --watch\n  muster job list --target flex -o svg > queue.svg",
		Args:    needs(0, 0, ""),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "only of this namespace")
	f.StringVar(&o.target, "target", "", "only with this target: a quota and those under it, or flex")
	f.StringVar(&o.partition, "partition", "", "only in this partition")
	f.StringVar(&o.user, "user", "", "only of this user")
	f.BoolVar(&o.mine, "mine", false, "only those that you have submitted")
	f.StringSliceVar(&o.states, "state", nil, "only in these states: "+strings.Join(words.WorkloadStates, ", "))
	f.StringVar(&o.failedBy, "failed-by", "", "only failed work, by what broke it: "+strings.Join(failures, ", "))
	_ = cmd.RegisterFlagCompletionFunc("failed-by", cobra.FixedCompletions(failures, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.evicted, "evicted", false, "only those that were evicted at least once, back in their queue or not; with -A ended ones, too")
	f.BoolVarP(&o.all, "all", "A", false, "ended ones, too")
	f.BoolVar(&o.waits, "waiting", false, "only those that wait")
	f.BoolVar(&o.reasons, "reasons", true, "say the reason of each one that waits")
	f.Int32Var(&o.limit, "limit", 100, "at most so many")
	return cmd
}

// checkStates refuses what is no state of work.
func (o *jobListOptions) checkStates() error {
	for _, s := range o.states {
		if s == "evicted" || s == "preempted" {
			return usage("--state %s is no state: evicted work is pending again; muster job list --evicted lists it", s)
		}
		if !slices.Contains(words.WorkloadStates, s) {
			return usage("--state %.40q is no state; write one of %s", s, strings.Join(words.WorkloadStates, ", "))
		}
	}
	return nil
}

// settle brings the flags that choose states together.
func (o *jobListOptions) settle() error {
	if err := o.checkStates(); err != nil {
		return err
	}
	switch {
	case o.failedBy != "" && !slices.Contains(failures, o.failedBy):
		return usage("--failed-by %.40q; write one of %s", o.failedBy, strings.Join(failures, ", "))
	case o.failedBy != "" && (len(o.states) > 0 || o.waits):
		return usage("--failed-by lists work that has failed; leave --state and --waiting out")
	case o.failedBy != "" && o.output == "svg":
		return usage("--failed-by lists work that has failed, and the picture shows the queue; leave one of them out")
	case o.evicted && o.output == "svg":
		return usage("--evicted lists work, and the picture shows the queue; leave one of them out")
	case o.mine && o.user != "":
		return usage("--mine lists your workloads, and --user those of %s; give one of them", o.user)
	case o.limit < 1 || o.limit > 10000:
		return usage("--limit %d; write a whole number from 1 to 10000", o.limit)
	case o.failedBy != "":
		o.states = []string{"failed"}
	case o.waits:
		o.states = words.WaitingStates
	case o.all && len(o.states) == 0:
		o.states = words.WorkloadStates
	}
	return nil
}

func (o *jobListOptions) ask(ctx context.Context) (answer, error) {
	if o.output == "svg" {
		svg, err := o.ladder(ctx)
		return answer{picture: svg}, err
	}
	if o.mine {
		user, err := o.signedIn(ctx)
		if err != nil {
			return answer{}, err
		}
		o.user = user
	}
	res, err := o.list(ctx)
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, table: o.table(res.GetWorkloads(), o.lastEvictions(ctx)), most: int(o.limit), tail: func(p *page) {
		if n := len(res.GetWorkloads()); res.GetNext() != 0 || n > int(o.limit) {
			p.say("There are more than these %d; --limit shows them.", min(n, int(o.limit)))
		}
		if n := res.GetOthers(); n > 0 {
			p.say("%s", words.Others(int(n)))
		}
	}}
	if len(res.GetWorkloads()) == 0 && res.GetOthers() > 0 {
		ans.table.empty = "There are no workloads here that you may read."
	}
	if len(res.GetWorkloads()) == 0 && (o.user != "" || o.namespace != "") && !o.mine { // whether others have some is not told
		ans.table.empty = "There are no such workloads that you may read."
	}
	if len(res.GetWorkloads()) == 0 {
		ans.unmet = "there is no such workload"
	}
	return ans, nil
}

// list asks for the workloads: of work that has ended the newest first, all that there are where the
// rows will be sorted.
func (o *jobListOptions) list(ctx context.Context) (*musterv1.ListWorkloadsResponse, error) {
	ask := &musterv1.ListWorkloadsRequest{
		AsOf: o.asOf.message(), Namespace: o.namespace, Target: o.target, Partition: o.partition, User: o.user,
		States: o.states, Limit: o.limit, Reasons: o.reasons, NewestFirst: slices.ContainsFunc(o.states, words.Ended), Evicted: o.evicted,
	}
	if o.failedBy == "" && (o.sort == "" || o.output == "json" || o.output == "yaml") {
		return o.client().Workloads.ListWorkloads(ctx, ask)
	}
	all := &musterv1.ListWorkloadsResponse{}
	for {
		res, err := o.client().Workloads.ListWorkloads(ctx, ask)
		if err != nil {
			return nil, err
		}
		all.Seen, all.Workloads, ask.From = res.GetSeen(), append(all.Workloads, o.broken(res.GetWorkloads())...), res.GetNext()
		if ask.From == 0 || o.failedBy != "" && o.sort == "" && len(all.Workloads) > int(o.limit) {
			return o.cut(all), nil
		}
	}
}

// failures are what may have broken work, as --failed-by asks for it, and the cause of each.
var (
	failures = []string{"node", "itself", "unknown"}
	causes   = map[string]string{"node": "infra", "itself": "own", "unknown": "not known"}
)

// broken keeps of failed work what was broken by what is asked for.
func (o *jobListOptions) broken(list []*musterv1.Workload) []*musterv1.Workload {
	if o.failedBy == "" {
		return list
	}
	return slices.DeleteFunc(list, func(w *musterv1.Workload) bool { return w.GetFailureCause() != causes[o.failedBy] })
}

// cut leaves of more than was asked for so many, and says that there are others. Rows that will be sorted stay.
func (o *jobListOptions) cut(all *musterv1.ListWorkloadsResponse) *musterv1.ListWorkloadsResponse {
	if o.failedBy != "" && o.sort == "" && len(all.Workloads) > int(o.limit) {
		all.Workloads = all.Workloads[:o.limit]
		all.Next = all.Workloads[o.limit-1].GetId()
	}
	return all
}

func (o *jobListOptions) table(list []*musterv1.Workload, evictions map[uint64]eviction) *table {
	columns := []column{
		{head: "ID", right: true, wide: true},
		{head: "WORKLOAD", name: true},
		{head: "STATE"},
		{head: "REASON", spare: true},
		{head: "FAILED BY", wide: true},
		{head: "HOLDS", spare: true},
		{head: "PRIORITY"},
		{head: "TARGET", name: true},
		{head: "GPUS", right: true},
		{head: "ASKS", right: true, spare: true},
		{head: "POOLS", wide: true},
		{head: "PARTITION", wide: true},
		{head: "ISLANDS", spare: true, wide: true},
		{head: "NODES", right: true, wide: true},
		{head: "USER", name: true, spare: true},
		{head: "TURN", right: true, spare: true},
		{head: "WAITED", right: true, wide: true},
		{head: "EVICTED", right: true, spare: true, wide: !o.evicted},
		{head: "MENDED", right: true, spare: true, wide: true},
		{head: "AGE", right: true},
	}
	if o.evicted {
		columns = append(columns, column{head: "LAST", spare: true}, column{head: "BY", spare: true, folds: true}, column{head: "WHY", spare: true})
	}
	t := newTable("There are no such workloads; muster submit submits one.", columns...)
	for _, w := range list {
		s, failed := w.GetSpec(), words.FailedBy(w.GetState(), w.GetFailureCause(), w.GetFailureNode())
		why := twofold{orElse(w.GetReason(), failed), w.GetReason()} // it waits, or it has failed
		row := []any{
			w.GetId(), nameOf(w), state(w.GetState()), why, failed, holdsCell(w), s.GetPriority(), s.GetTarget(),
			w.GetGpus(), asksAtStart(w), poolsText(s.GetPools()), w.GetPartition(), w.GetIslands(), len(w.GetNodes()), w.GetUser(),
			w.GetPosition(), w.GetWaited().AsDuration(), w.GetEvictions(), w.GetMends(), o.age(w),
		}
		if e := evictions[w.GetId()]; o.evicted {
			row = append(row, e.at, e.by, e.why)
		}
		t.add(row...)
	}
	return t
}

// asksAtStart is with how many GPUs a workload that waits starts; 0: it does not wait.
func asksAtStart(w *musterv1.Workload) (gpus int32) {
	if w.GetState() != "pending" {
		return 0
	}
	pools, base := w.GetSpec().GetPools(), int32(0)
	for i, p := range pools {
		if i == 0 || p.GetRank() < base {
			base = p.GetRank()
		}
	}
	for _, p := range pools {
		if p.GetRank() == base {
			gpus += p.GetGpus() * (p.GetReplicas() + p.GetMin())
		}
	}
	return gpus
}

func poolsText(pools []*musterv1.Pool) string {
	parts := make([]string, len(pools))
	for i, p := range pools {
		parts[i] = p.GetName() + "=" + poolText(p)
	}
	return strings.Join(parts, " ")
}

// age is how long ago a workload was submitted, at the moment that is shown.
func (o *jobListOptions) age(w *musterv1.Workload) time.Duration {
	at := clock{now: o.Now(), asOf: o.asOf.at}.at()
	return max(0, at.Sub(w.GetSubmitted().AsTime()).Truncate(time.Second))
}

// jobShowOptions are those of `muster job show`.
type jobShowOptions struct {
	*app
	reading
	naming
	namespace, name string
}

func newJobShow(a *app) *cobra.Command {
	o := &jobShowOptions{app: a}
	cmd := &cobra.Command{
		Use:     "show JOB",
		Short:   "show one workload",
		Example: "  muster job show oak/pretrain-0042",
		Args:    needs(1, 1, "the name of one workload"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.namespace, o.name, err = o.job(a, args[0]); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	return cmd
}

func (o *jobShowOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Workloads.Why(ctx, &musterv1.WhyRequest{AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name})
	if err != nil {
		return answer{}, err
	}
	w := res.GetWorkload()
	list := &jobListOptions{app: o.app, reading: o.reading}
	return answer{message: res, rows: list.table([]*musterv1.Workload{w}, nil), lead: func(p *page) { p.job(w, res) }}, nil
}

// job shows a workload line by line.
func (p *page) job(w *musterv1.Workload, res *musterv1.WhyResponse) {
	s := w.GetSpec()
	p.standing(w)
	p.failure(res.GetFailure(), res.GetWorkload().GetFailureNode())
	p.say("")
	p.field("state", p.paint.paint(stateStyles[w.GetState()], w.GetState())+because(res.GetBlockers()))
	p.field("target", s.GetTarget())
	p.field("priority", s.GetPriority())
	p.field("submitted", fmt.Sprintf("%s by %s, number %d", p.moment(w.GetSubmitted().AsTime()), orElse(w.GetUser(), "a part of Muster"), w.GetId()))
	p.field("made by", w.GetAuthor())
	p.field("waited", lengthIfAny(w.GetWaited().AsDuration()))
	p.field("may run for", lengthIfAny(s.GetMaxRuntime().AsDuration()))
	p.field("bears a freeze", prefixed("of ", lengthIfAny(s.GetBearsFreeze().AsDuration())))
	p.field("checkpoints", prefixed("every ", lengthIfAny(s.GetCheckpointEvery().AsDuration())))
	p.field("grace", lengthIfAny(s.GetGrace().AsDuration()))
	p.field("evicted", times(w.GetEvictions()))
	p.field("mended", swapped(w.GetMends()))
	for _, pool := range s.GetPools() {
		p.field("pool "+pool.GetName(), fmt.Sprintf("%s, rank %d, reach %s; %s now", poolText(pool), pool.GetRank(), pool.GetReach(), text.Count(w.GetPools()[pool.GetName()], "replica")))
	}
	p.field("nodes", words.Few(text.Folded(w.GetNodes()), 12))
}

// field says a name and a value, unless there is none.
func (p *page) field(name, value string) {
	if value != "" {
		p.say("%-13s %s", name, value)
	}
}

func because(blockers []*musterv1.Blocker) string {
	if len(blockers) == 0 {
		return ""
	}
	return ", " + blockers[0].GetCode() + " (muster why tells more)"
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// lengthIfAny is a length of time in short; "" for none.
func lengthIfAny(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return short(d)
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// swapped is how many nodes were swapped under a workload; "" for none.
func swapped(nodes int32) string {
	if nodes == 0 {
		return ""
	}
	return text.Count(nodes, "node") + " swapped"
}

func times(n int32) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
