package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// whyOptions are those of `muster why`.
type whyOptions struct {
	*app
	reading
	naming
	namespace, name string
}

func newWhy(a *app) *cobra.Command {
	o := &whyOptions{app: a}
	cmd := &cobra.Command{
		Use:   "why JOB",
		Short: "why a workload waits, and what would help",
		Long: `Why says what keeps a workload from running: its reason first, then what else is in the way, each
with its figures, who is behind it, and who can do something about it. JOB is NAME, or NAMESPACE/NAME.`,
		Example: "  muster why oak/pretrain-0042\n  muster why pretrain-0042 -n oak --exit-code   # exit code 3 unless it runs",
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

func (o *whyOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Workloads.Why(ctx, &musterv1.WhyRequest{AsOf: o.asOf.message(), Namespace: o.namespace, Name: o.name})
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, lead: func(p *page) { p.why(res) }, rows: blockerRows(res.GetBlockers())}
	if w := res.GetWorkload(); w.GetState() != "running" {
		ans.unmet = fmt.Sprintf("%s is %s, it does not run", nameOf(w), w.GetState())
	}
	return ans, nil
}

func (p *page) why(res *musterv1.WhyResponse) {
	p.standing(res.GetWorkload())
	for i, b := range res.GetBlockers() {
		p.blocker(b, i == 0)
	}
	if len(res.GetBlockers()) == 0 {
		p.unblocked(res.GetWorkload())
	}
}

// standing says in a sentence or two how a workload stands.
func (p *page) standing(w *musterv1.Workload) {
	s, head := w.GetSpec(), p.paint.paint(strong, nameOf(w))
	switch w.GetState() {
	case "pending":
		p.say("%s waits for %s (%s), %s so far%s.", head, s.GetTarget(), asks(s), short(w.GetWaited().AsDuration()), turn(w))
	case "starting":
		p.say("%s starts on %s as soon as those who leave have left.", head, place(w))
	case "running":
		p.say("%s runs on %s for %s, %s.", head, place(w), p.ago(w.GetStarted().AsTime()), holding(w))
	case "evicting":
		p.say("%s is being evicted from %s%s; it must have left by %s and then waits again, with its age.", head, place(w), victor(w), p.moment(w.GetGraceEnds().AsTime()))
	case "mending":
		p.say("%s lost nodes on %s; they are being replaced, the rest keep theirs.", head, place(w))
	default:
		p.say("%s %s %s, %s ago.", head, past(w.GetState()), p.moment(w.GetEnded().AsTime()), p.ago(w.GetEnded().AsTime()))
	}
}

func past(state string) string {
	if state == "cancelled" {
		return "was cancelled"
	}
	return state
}

func turn(w *musterv1.Workload) string {
	if w.GetPosition() == 0 {
		return ""
	}
	return fmt.Sprintf(", number %d in its queue", w.GetPosition())
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
	return fmt.Sprintf("%s (%s, %d GPUs)", where, nodes(len(w.GetNodes())), w.GetGpus())
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// meanings say what the ways to hold GPUs mean for whoever runs.
var meanings = map[string]string{
	"guaranteed":  "guaranteed: inside its quota's backing",
	"borrowing":   "borrowing: above its quota's backing, until a quota of its tree wants it back",
	"unprotected": "unprotected: its quota's backing has fallen, so it goes when work inside it needs the room",
	"flex":        "on flex, until in-quota work or fairness needs the room",
}

func holding(w *musterv1.Workload) string {
	if text := meanings[w.GetHolds()]; text != "" {
		return text
	}
	return w.GetHolds()
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

// classes say who can do something about a blocker.
var classes = map[string]string{
	"wait":   "time will do",
	"change": "you can change it",
	"ask":    "a quota owner or an operator can help",
	"fault":  "something is broken",
}

func (p *page) blocker(b *musterv1.Blocker, first bool) {
	lead := map[bool]string{true: "reason", false: "also"}[first]
	p.say("")
	p.say("%-9s %s (%s: %s)", lead, p.paint.paint(waiting, b.GetCode()), b.GetClass(), classes[b.GetClass()])
	p.wrap(b.GetText())
	if len(b.GetFigures()) > 0 {
		p.wrap("figures: " + figures(b.GetFigures()))
	}
	if list := b.GetCulprits(); len(list) > 0 {
		p.wrap("behind it: " + some(list, 8))
	}
	if since := b.GetSince(); since != nil {
		p.wrap(fmt.Sprintf("since %s (%s ago)", p.moment(since.AsTime()), p.ago(since.AsTime())))
	}
	if help := helps[b.GetCode()]; help != "" {
		p.wrap("what helps: " + help)
	}
}

// unblocked says why a workload without blockers is where it is.
func (p *page) unblocked(w *musterv1.Workload) {
	switch w.GetState() {
	case "pending":
		p.say("Nothing blocks it that is known; it starts with the next decision.")
	case "running", "starting", "mending":
		p.say("Nothing blocks it.")
	case "failed":
		p.say("Why it failed is not known yet.")
	}
}

// helps say, for each code, what would let such a workload start.
var helps = map[string]string{
	"NoSuchPartition": "muster job retarget, or muster quota grant.",
	"Held":            "its owner's release (muster quota hold --release ID), or the end of the hold.",
	"Behind":          "a higher priority (muster job priority), where it is more important; a known --max-runtime lets it pass those it cannot delay.",
	"QuotaUnbacked":   "nodes that come back; or another target, flex among them (muster job retarget).",
	"TreeFull":        "in-quota work of the tree that ends; a larger grant (muster quota grant); or flex (muster job retarget).",
	"QuotaFull":       "in-quota work of the quota that ends; a larger grant (muster quota grant); or flex (muster job retarget).",
	"Fragmented":      "work that ends in one of the islands; smaller gangs; or a reach of any.",
	"Evicting":        "nothing more: it starts once they have left.",
	"FlexFull":        "flex work that ends, or a quota (muster job retarget).",
	"FlexShare":       "other work of its namespace that ends: every namespace gets its share of flex first.",
}

// wrap says a text under a blocker, in lines that fit.
func (p *page) wrap(text string) {
	const indent = "          "
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+len(line)+1+len(word) > widest {
			p.say("%s%s", indent, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		p.say("%s%s", indent, line)
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

// some lists the first few names.
func some(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func blockerRows(list []*musterv1.Blocker) *table {
	t := newTable("", column{head: "CODE"}, column{head: "CLASS"}, column{head: "TEXT"}, column{head: "CULPRITS"}, column{head: "SINCE"})
	for _, b := range list {
		t.add(b.GetCode(), b.GetClass(), b.GetText(), b.GetCulprits(), b.GetSince())
	}
	return t
}
