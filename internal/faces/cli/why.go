package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// whyOptions are those of `muster why`.
type whyOptions struct {
	*app
	reading
	naming
	searching
	namespace, name string
	history         bool
	quick           bool
}

func newWhy(a *app) *cobra.Command {
	o := &whyOptions{app: a}
	cmd := &cobra.Command{
		Use:   "why JOB",
		Short: "why a workload waits, and what would help",
		Long: `Why says what keeps a workload from running: its reason first, then what else is in the way, each
with its figures, who is behind it, and who can do something about it. It says when the workload should
start, and what would let it start now. Each such change was tried on a copy of the fleet with the
engine that decides, and the commands under it do it. Of work that ran it says what happened, and which
work needed its room; of work that runs, which planned work lies ahead for its nodes. JOB is NAME, or NAMESPACE/NAME.`,
		Example: `  muster why oak/pretrain-0042
  muster why oak/pretrain-0042 --history        # all that happened to it, and how its reasons changed
  muster why oak/pretrain-0042 -o svg > life.svg # the same as a picture
  muster why pretrain-0042 -n oak --exit-code   # exit code 3 unless it runs`,
		Args: needs(1, 1, "the name of one workload"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.namespace, o.name, err = o.job(a, args[0]); err != nil {
				return err
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	o.searching.flags(cmd.Flags(), "2s")
	cmd.Flags().BoolVar(&o.history, "history", false, "all that happened to it, by whom, and how its reasons changed")
	cmd.Flags().BoolVar(&o.quick, "quick", false, "only what is in the way: try nothing, forecast nothing")
	return cmd
}

func (o *whyOptions) ask(ctx context.Context) (answer, error) {
	if o.output == "svg" {
		o.history = true // what is drawn is its story
	}
	res, err := o.client().Workloads.Why(ctx, &musterv1.WhyRequest{
		AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name, Help: !o.quick && !o.history, History: o.history, Patient: true, Search: o.search.message(),
	})
	if err != nil {
		return answer{}, err
	}
	o.askWhen(ctx, res)
	works := o.ahead(ctx, res.GetWorkload())
	ans := answer{message: res, lead: func(p *page) { p.why(res, works) }, rows: blockerRows(res.GetBlockers())}
	if o.history {
		ans.lead, ans.rows = func(p *page) { p.standing(res.GetWorkload()); p.history(res) }, historyRows(res.GetHistory())
	}
	if o.output == "svg" {
		ans.picture, err = o.ribbon(ctx, res, &o.reading)
		return ans, err
	}
	if w := res.GetWorkload(); w.GetState() != "running" {
		ans.unmet = fmt.Sprintf("%s is %s, it does not run", nameOf(w), w.GetState())
	}
	return ans, nil
}

// askWhen puts the forecast of `muster when`, which may search four times as long, in the
// place of one that ran out of time. Where that cannot be had, the answer stands as it was.
func (o *whyOptions) askWhen(ctx context.Context, res *musterv1.WhyResponse) {
	if !ranOut(res.GetForecast()) || o.search.set {
		return
	}
	when, err := o.client().Workloads.When(ctx, &musterv1.WhenRequest{AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name, Patient: true})
	if err == nil && when.GetForecast() != nil {
		res.Forecast = when.GetForecast()
		if !ranOut(res.GetForecast()) && !res.GetMissed() {
			res.Longer = nil
		}
	}
}

func (p *page) why(res *musterv1.WhyResponse, works []*musterv1.PlannedWork) {
	p.standing(res.GetWorkload(), ahead(res.GetBlockers(), res.GetForecast())...)
	if author := res.GetWorkload().GetAuthor(); author != "" {
		p.say("%s made it.", author)
	}
	p.trouble(res)
	for i, b := range res.GetBlockers() {
		p.blocker(b, i == 0, i > 0 && words.Stuck(res.GetBlockers()[0].GetClass()))
	}
	if len(res.GetBlockers()) == 0 {
		p.unblocked(res.GetWorkload())
	}
	p.forecast(res.GetForecast(), res.GetAnswer() == "impossible")
	p.plannedAhead(res.GetWorkload(), works)
	p.remedies(res)
	if len(res.GetHistory()) > 1 {
		p.history(res)
	}
}

// standing says in a sentence or two how a workload stands; first is the work that goes before it, where that is known.
func (p *page) standing(w *musterv1.Workload, first ...string) {
	s, head := w.GetSpec(), p.paint.paint(strong, nameOf(w))
	switch w.GetState() {
	case "pending":
		p.say("%s waits for %s (%s), %s so far%s.", head, s.GetTarget(), asks(s), short(w.GetWaited().AsDuration()), words.Turn(int(w.GetPosition()), s.GetTarget(), first))
	case "starting":
		p.say("%s starts on %s as soon as those who leave have left.", head, place(w))
	case "running":
		p.say("%s runs on %s for %s, %s.", head, place(w), p.ago(w.GetStarted().AsTime()), holding(w))
	case "evicting":
		p.wrapAs("", fmt.Sprintf("%s %s %s%s; it %s by %s and then waits again, with its age.", head, leaving(w), place(w), victor(w), mustLeave(w), p.moment(w.GetGraceEnds().AsTime())))
	case "mending":
		p.say("%s lost nodes on %s; they are being replaced, the rest keep theirs.", head, place(w))
	default:
		p.say("%s %s %s, %s ago.", head, past(w.GetState()), p.moment(w.GetEnded().AsTime()), p.ago(w.GetEnded().AsTime()))
	}
}

// mustLeave tells who is late, and so has a reason, from who has time left.
func mustLeave(w *musterv1.Workload) string {
	if w.GetReason() != "" {
		return "had to leave"
	}
	return "must have left"
}

func past(state string) string {
	if state == "cancelled" {
		return "was cancelled"
	}
	return state
}

// ahead names the work that goes first, as blockers and a forecast say.
func ahead(blockers []*musterv1.Blocker, f *musterv1.Forecast) (names []string) {
	for _, b := range blockers {
		if b.GetCode() == string(reason.Behind) {
			names = append(names, b.GetCulprits()...)
		}
	}
	for _, g := range f.GetRestsOn() {
		if g.GetKind() == "queued" {
			names = append(names, cmp.Or(g.GetName(), "work of others"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// leaving tells an eviction from a gang that goes back to its queue by itself.
func leaving(w *musterv1.Workload) string {
	if w.GetEvictedFor() == "" {
		return "leaves"
	}
	return "is being evicted from"
}

func victor(w *musterv1.Workload) string {
	if w.GetEvictedFor() == "" {
		return ""
	}
	return ", because " + w.GetEvictedFor() + " needs the room"
}

// place says where a workload stands.
func place(w *musterv1.Workload) string {
	where := w.GetPartition()
	if list := w.GetIslands(); len(list) > 0 {
		where += "/" + strings.Join(list, "+")
	}
	return fmt.Sprintf("%s (%s, %s)", where, nodes(len(w.GetNodes())), text.Count(w.GetGpus(), "GPU"))
}

func nodes(n int) string {
	return text.Count(n, "node")
}

// meanings say what each way to hold GPUs means for the work.
var meanings = map[string]string{
	"guaranteed":  "guaranteed: inside its quota's backing",
	"borrowing":   "borrowing: above its quota's backing, until a quota of its tree wants it back",
	"unprotected": "unprotected: its quota's backing has fallen, so it goes when work inside it needs the room",
	"flex":        "on flex, until in-quota work or fairness needs the room",
}

// holding says how a workload holds its GPUs, and which part of it holds them in another way, and may go before the rest.
func holding(w *musterv1.Workload) string {
	said := w.GetHolds()
	if text := meanings[said]; text != "" {
		said = text
	}
	if part := words.HeldBesides(w.GetHolds(), w.GetHeld()); part != "" {
		said += "; of its GPUs " + part
	}
	return said
}

// holdsCell is the same in a cell of a table. Programs read how the workload as a whole holds its GPUs.
func holdsCell(w *musterv1.Workload) twofold {
	said := w.GetHolds()
	if part := words.HeldBesides(said, w.GetHeld()); part != "" {
		said += ", " + part
	}
	return twofold{said, w.GetHolds()}
}

// asks says what a workload asks for.
func asks(s *musterv1.WorkloadSpec) string {
	parts := make([]string, len(s.GetPools()))
	for i, pool := range s.GetPools() {
		parts[i] = poolText(pool)
	}
	text := strings.Join(parts, " + ") + ", " + s.GetPriority()
	if s.GetPartition() != "" {
		text += " in " + s.GetPartition()
	}
	return text
}

// poolText says a pool as its flag would: 16x8, or 2..64x1.
func poolText(p *musterv1.Pool) string {
	if p.GetReplicas() > 0 {
		return fmt.Sprintf("%dx%d", p.GetReplicas(), p.GetGpus())
	}
	return fmt.Sprintf("%d..%dx%d", p.GetMin(), p.GetMax(), p.GetGpus())
}

// blocker says one thing that keeps work from starting; stuck says whether the first of them passes by no waiting.
func (p *page) blocker(b *musterv1.Blocker, first, stuck bool) {
	lead := map[bool]string{true: "reason", false: "also"}[first]
	p.say("")
	p.say("%-9s %s (%s: %s)", lead, p.paint.paint(waiting, b.GetCode()), b.GetClass(), words.BlockerMeans(b.GetClass(), b.GetCode(), stuck))
	p.wrap(b.GetText())
	if len(b.GetFigures()) > 0 {
		p.wrap("figures: " + figures(b.GetFigures()))
	}
	if who := words.Work(b.GetCulprits(), b.GetOthers(), 8); who != "" {
		p.wrap("because of: " + who)
	}
	for _, c := range b.GetChanges() {
		p.wrap(p.changed(c))
	}
	if since := b.GetSince(); since != nil {
		p.wrap(fmt.Sprintf("since %s (%s ago)", p.moment(since.AsTime()), p.ago(since.AsTime())))
	}
	if next := b.GetNext(); next != nil {
		p.wrap(fmt.Sprintf("next change: %s (%s), when %s", p.moment(next.AsTime()), p.until(next.AsTime()), b.GetNextWhat()))
	}
}

// changed says a change by people: by whom, when and why.
func (p *page) changed(c *musterv1.QuotaChange) string {
	return fmt.Sprintf("changed by %s, %s: %s: %s (%s)", c.GetActor(), p.moment(c.GetAt().AsTime()), c.GetQuota(), c.GetText(), words.ReasonGiven(c.GetReason()))
}

// unblocked says why a workload without blockers is where it is.
func (p *page) unblocked(w *musterv1.Workload) {
	switch w.GetState() {
	case "pending":
		p.say("Nothing blocks it that is known; it starts with the next decision.")
	case "running", "starting", "mending":
		p.say("Nothing blocks it.")
	}
}

// wrap says a text under a blocker, in lines that fit.
func (p *page) wrap(text string) { p.wrapAs("          ", text) }

// wrapAs says a text after a beginning, in lines that fit and stand under one another.
func (p *page) wrapAs(begin, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && columns(begin+line)+1+columns(word) > widest {
			p.say("%s%s", begin, line)
			begin, line = strings.Repeat(" ", columns(begin)), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		p.say("%s%s", begin, line)
	}
}

// figures says named numbers in order of name.
func figures(all map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+" "+grouped(all[name]))
	}
	return strings.Join(parts, ", ")
}

func blockerRows(list []*musterv1.Blocker) *table {
	t := newTable("", column{head: "CODE"}, column{head: "CLASS"}, column{head: "TEXT"}, column{head: "CULPRITS"}, column{head: "SINCE"}, column{head: "NEXT"})
	for _, b := range list {
		t.add(b.GetCode(), b.GetClass(), b.GetText(), b.GetCulprits(), b.GetSince(), b.GetNext())
	}
	return t
}
