package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// healthOptions are those of `muster health`.
type healthOptions struct {
	*app
	reading
	scope string
	limit int
}

func newHealth(a *app) *cobra.Command {
	o := &healthOptions{app: a}
	cmd := &cobra.Command{
		Use:   "health [CLUSTER | CLUSTER/GPU]",
		Short: "nodes by state and cause, breakers, suspects, and what waits for a person",
		Long: `Health says, for each partition, how many nodes are in which state and why, who keeps them there,
what automation may do and what it is held back from, and what waits for a person. Its exit code with
--exit-code is 3 where anything does.`,
		Example: "  muster health tiger\n  muster health --as-of 2h\n  muster health reset tiger/h200 --reason 'monitor mended'",
		Args:    needs(0, 1, "at most one cluster or partition"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().IntVar(&o.limit, "limit", 20, "show at most so many lines of waiting nodes of a partition (json has all)")
	cmd.AddCommand(newHealthReset(a), newHealthJudge(a), newHealthAcknowledge(a))
	return cmd
}

func (o *healthOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Health.Health(ctx, &musterv1.HealthRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, rows: healthRows(res), lead: func(p *page) { p.health(res, o.limit) }}
	if n := waitingFor(res); n > 0 {
		ans.unmet = things(n) + " waiting for a person"
	}
	return ans, nil
}

func waitingFor(res *musterv1.HealthResponse) int {
	n := len(res.GetBanners()) + len(res.GetHung()) + int(res.GetHungOthers())
	for _, h := range res.GetPartitions() {
		n += len(h.GetWaiting())
	}
	return n
}

// banners are what everybody must see, above everything else.
func (p *page) banners(list []string) {
	for _, text := range list {
		p.wrapAs(p.paint.paint(bad, "!! "), p.inZone(text))
	}
	if len(list) > 0 {
		p.say("")
	}
}

func (p *page) health(res *musterv1.HealthResponse, limit int) {
	p.banners(res.GetBanners())
	for _, h := range res.GetPartitions() {
		p.partitionHealth(h, limit)
	}
	if len(res.GetPartitions()) == 0 {
		p.say("There are no partitions yet; muster apply -f FILE adds them.")
	}
	for _, w := range res.GetHung() {
		p.wrapAs(p.paint.paint(bad, "hung")+": ", fmt.Sprintf("%s/%s on %s of %s looks busy while tensor cores and network have been still for %s",
			w.GetNamespace(), w.GetName(), text.Count(w.GetGpus(), "GPU"), w.GetPartition(), short(w.GetStill().AsDuration())))
	}
	if n := int(res.GetHungOthers()); n > 0 {
		p.wrapAs(p.paint.paint(bad, "hung")+": ", text.Count(n, "workload")+" of other teams")
	}
}

func (p *page) partitionHealth(h *musterv1.PartitionHealth, limit int) {
	mode := ""
	if h.GetShadow() {
		mode = "; automation only judges here (shadow)"
	}
	p.say("%s  %s, %s of at most %s out of service by automation%s",
		p.paint.paint(strong, h.GetPartition()), text.Count(h.GetNodes(), "node"), text.Group(h.GetAutomatic()), text.Group(h.GetAllowed()), mode)
	for _, c := range h.GetStates() {
		p.say("%s", strings.TrimRight(fmt.Sprintf("  %s %s %5s  %s", p.paint.paint(stateStyles[c.GetState()], pad(c.GetState(), 11, false)),
			p.paint.paint(stateStyles[c.GetState()], bar(c.GetNodes(), h.GetNodes(), 20)), number(int64(c.GetNodes())), causeOf(c)), " "))
	}
	for i, g := range alike(h.GetWaiting()) {
		if i == limit {
			p.say("  … and more; --limit shows them")
			break
		}
		n := g[0]
		p.wrapAs("  waits: ", fmt.Sprintf("%s %s%s", words.Few(text.Folded(nodesOf(g)), 3), stateAndWants(n), prefixed("; ", n.GetBecause())))
	}
	p.say("")
}

func stateAndWants(n *musterv1.WaitingNode) string { return "(" + n.GetState() + "), " + wants(n) }

// alike puts nodes together for which the same waits, in order of the first of them.
func alike(list []*musterv1.WaitingNode) [][]*musterv1.WaitingNode {
	var groups [][]*musterv1.WaitingNode
	at := map[string]int{}
	for _, n := range list {
		key := stateAndWants(n) + n.GetBecause()
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], n)
	}
	return groups
}

func nodesOf(list []*musterv1.WaitingNode) []string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.GetNode()
	}
	return names
}

func causeOf(c *musterv1.StateCount) string {
	cause := text.Clip(c.GetCause(), 44)
	if c.GetOwner() != "" {
		cause = strings.TrimSpace(cause + " [" + c.GetOwner() + "]")
	}
	return cause
}

func wants(n *musterv1.WaitingNode) string {
	text := "held by " + n.GetHeld()
	if n.GetWant() != "" {
		text = "would be " + n.GetWant() + ", " + text
	}
	return text
}

func healthRows(res *musterv1.HealthResponse) *table {
	t := newTable("", column{head: "PARTITION"}, column{head: "STATE"}, column{head: "CAUSE"}, column{head: "OWNER"}, column{head: "NODES"}, column{head: "GPUS"})
	for _, h := range res.GetPartitions() {
		for _, c := range h.GetStates() {
			t.add(h.GetPartition(), c.GetState(), c.GetCause(), c.GetOwner(), c.GetNodes(), c.GetGpus())
		}
	}
	return t
}

// healthResetOptions are those of `muster health reset`.
type healthResetOptions struct {
	*app
	writing
}

func newHealthReset(a *app) *cobra.Command {
	o := &healthResetOptions{app: a}
	cmd := &cobra.Command{
		Use:     "reset CLUSTER/GPU --reason WHY",
		Short:   "close a partition's breaker: automation may act again",
		Example: "  muster health reset tiger/h200 --reason 'monitor restarted, its signals were wrong'",
		Args:    needs(1, 1, "one partition"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.ResetBreaker(ctx, &musterv1.ResetBreakerRequest{Write: o.writing.message(), Partition: args[0]})
				return res.GetWritten(), err
			}, "the breaker of "+args[0]+" is closed", "muster health "+args[0]+" shows what automation does now.")
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// healthJudgeOptions are those of `muster health judge`.
type healthJudgeOptions struct {
	*app
	writing
	real, unreal bool
}

func newHealthJudge(a *app) *cobra.Command {
	o := &healthJudgeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "judge CLUSTER/GPU SIGNATURE --real|--unreal --reason WHY",
		Short: "say whether a signal from many nodes at once is real",
		Long: `Where many nodes say the same within minutes, it is flagged as a possible false alarm of the job or the
monitor, and no node is taken. Judge says otherwise (--real: it counts against the nodes, within the budget), or takes that
back (--unreal). muster health shows the signatures.`,
		Example: "  muster health judge tiger/h200 'dcgm XIDErrors 109' --real --reason 'bad firmware on these'",
		Args:    needs(2, 2, "a partition and a signature"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.real == o.unreal {
				return usage("say whether it is --real or --unreal, one of them")
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Health.JudgeBurst(ctx, &musterv1.JudgeBurstRequest{
					Write: o.writing.message(), Partition: args[0], Signature: args[1], Real: o.real,
				})
				return res.GetWritten(), err
			}, fmt.Sprintf("%q in %s is judged", args[1], args[0]))
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().BoolVar(&o.real, "real", false, "it is the nodes after all")
	cmd.Flags().BoolVar(&o.unreal, "unreal", false, "it is not the nodes")
	return cmd
}

// lemonsOptions are those of `muster lemons`.
type lemonsOptions struct {
	*app
	reading
}

func newLemons(a *app) *cobra.Command {
	o := &lemonsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "lemons",
		Short: "nodes that fail far more often than the fleet, with the evidence",
		Long: `Lemons lists the nodes whose failure rate exceeds the fleet's by the policy's factor with the
policy's certainty, given how often each failed in its time in service (gamma posterior; the prior is
the fleet's own spread). Faults during a probation are the same fault, not mended, and not counted again.`,
		Example: "  muster lemons\n  muster lemons --as-of 2026-10-01 -o csv",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *lemonsOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Health.Lemons(ctx, &musterv1.LemonsRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable(noLemons(res),
		column{head: "NODE", name: true}, column{head: "PARTITION", wide: true}, column{head: "FAILURES", right: true},
		column{head: "DAYS", right: true}, column{head: "RATE", right: true}, column{head: "TIMES FLEET", right: true},
		column{head: "CERTAINTY", right: true}, column{head: "LAST FAILURE"}, column{head: "SIGNALS", folds: true})
	for _, l := range res.GetLemons() {
		var signals []string
		for _, f := range l.GetEvidence() {
			signals = append(signals, f.GetSignal())
		}
		t.add(l.GetNode(), l.GetPartition(), l.GetFaults(), tenths(l.GetDays()), tenths(l.GetRate()),
			tenths(l.GetRate()/max(res.GetFleetRate(), 1e-9)), fmt.Sprintf("%.1f %%", 100*l.GetCertainty()),
			l.GetEvidence()[len(l.GetEvidence())-1].GetAt(), signals)
	}
	ans := answer{message: res, table: t}
	if len(res.GetLemons()) > 0 {
		ans.unmet = things(len(res.GetLemons())) + " failing far more often than the fleet"
	}
	return ans, nil
}

// noLemons says against which measure no node stands out.
func noLemons(res *musterv1.LemonsResponse) string {
	return fmt.Sprintf("There are no lemons: no node fails %g times as often as the fleet with %g %% certainty.\n"+
		"The fleet fails at %s faults in 1,000 node-days.", res.GetFactor(), 100*res.GetCertainty(), tenths(res.GetFleetRate()))
}

// tenths is a number with one digit after its point, grouped by threes before it.
func tenths(x float64) string {
	n := int64(math.Round(10 * x))
	return fmt.Sprintf("%s.%d", grouped(n/10), n%10)
}
