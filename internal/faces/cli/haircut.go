package cli

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newHaircut(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "haircut", Aliases: []string{"haircuts"},
		Short: "bring assigned quota down to what is sustainable: plan, review, tell, apply, undo",
		Long: `A haircut is a plan that people see, review, apply cluster by cluster and can undo. It takes first
what is assigned above usage, then what idle jobs hold, then the rest; pro rata, in whole nodes.

The steps, in order: plan --save, review, tell, tell --done, apply (once for each wave). Undo --all takes all back.`,
	}
	return group(cmd, newHaircutPlan(a), newHaircutList(a), newHaircutShow(a), newHaircutDiff(a), newHaircutReview(a),
		newHaircutTell(a), newHaircutApply(a), newHaircutUndo(a), newHaircutDelete(a), newHaircutExport(a))
}

// asking for a plan is the flags that say which.
type haircutAsk struct {
	basis    string
	policies []string
}

func (h *haircutAsk) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&h.basis, "basis", "cluster", "cluster (cut only the excess) or quota (every grant × (1 − buffer))")
	cmd.Flags().StringSliceVar(&h.policies, "policy", nil, "another buffer policy: 15%, 0.1, "+strings.Join(policyWords(), ", ")+"; several: side by side")
	_ = cmd.RegisterFlagCompletionFunc("basis", cobra.FixedCompletions([]string{"cluster", "quota"}, cobra.ShellCompDirectiveNoFileComp))
}

func (h *haircutAsk) message(scope string) (*musterv1.HaircutAsk, error) {
	if h.basis != "cluster" && h.basis != "quota" {
		return nil, usage("--basis %.40q; write cluster or quota", h.basis)
	}
	m := &musterv1.HaircutAsk{Scope: scope, Basis: h.basis}
	if len(h.policies) == 1 {
		b, err := policyFlag(h.policies[0])
		m.Buffer = b
		return m, err
	}
	return m, nil
}

// typed are the words that ask for the same plan again.
func (o *haircutPlanOptions) typed() []string {
	line := []string{"muster", "haircut", "plan"}
	if o.scope != "" {
		line = append(line, o.scope)
	}
	if o.basis != "cluster" {
		line = append(line, "--basis", o.basis)
	}
	if len(o.policies) == 1 { // several are only compared
		line = append(line, "--policy", o.policies[0])
	}
	return line
}

func (h *haircutAsk) buffers() ([]*musterv1.Buffer, error) {
	var list []*musterv1.Buffer
	for _, text := range h.policies {
		b, err := policyFlag(text)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// policyFlag reads a buffer policy as people write it.
func policyFlag(typed string) (*musterv1.Buffer, error) {
	b, ok := readPolicy(typed)
	if !ok {
		return nil, usage("--policy %.40q; write %s", typed, text.Or(append([]string{keptShare}, policyWords()...)))
	}
	return b, nil
}

// readShare reads 15% or 0.15. Shares are kept in whole thousandths.
func readShare(text string) (float64, bool) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	return share, err == nil && share >= 0 && share <= 1 && math.Abs(share*1000-math.Round(share*1000)) < 1e-6
}

// haircutPlanOptions are those of `muster haircut plan`.
type haircutPlanOptions struct {
	*app
	reading
	writing
	haircutAsk
	scope, save string
	effective   moment
}

func newHaircutPlan(a *app) *cobra.Command {
	o := &haircutPlanOptions{app: a, effective: moment{env: a.Env, ahead: true}}
	cmd := &cobra.Command{
		Use:   "plan [CLUSTER | CLUSTER/GPU]",
		Short: "make a plan and try it on a copy of the fleet; with --save, keep it",
		Long: `Plan says who is over and why, what each quota would give up in which class, what would happen to
work that runs (tried on a copy of the fleet, by the rules that decide), and what flex gains.
Nothing changes. With --save the plan is kept under a name, for review, muster haircut apply and undo.
With several --policy the effects of buffer policies stand side by side.`,
		Example: "  muster haircut plan\n  muster haircut plan tiger/h200 --basis quota\n  muster haircut plan --policy 15%,10%,calibrated\n  muster haircut plan --save autumn --reason 'after sev-12' --effective monday",
		Args:    onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			if clusters := strings.Split(o.scope, ","); len(clusters) > 1 {
				return usage("%.80q names several; a plan is over one cluster or partition (muster haircut plan %.40s), or with none over the whole fleet", o.scope, clusters[0])
			}
			if o.save != "" {
				return o.keep(cmd.Context())
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	o.writing.flags(cmd)
	o.haircutAsk.flags(cmd)
	cmd.Flags().StringVar(&o.save, "save", "", "keep the plan under this name")
	cmd.Flags().Var(&o.effective, "effective", "with --save: the day from which waves take effect, as people are told (monday, 2026-12-01)")
	return cmd
}

// onePlan takes one place, or none for the whole fleet.
func onePlan(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("a plan is over one cluster or partition (muster haircut plan %.40s), or with none over the whole fleet", args[0])
	}
	return nil
}

func (o *haircutPlanOptions) ask(ctx context.Context) (answer, error) {
	if len(o.policies) > 1 {
		return o.compare(ctx)
	}
	ask, err := o.haircutAsk.message(o.scope)
	if err != nil {
		return answer{}, err
	}
	res, err := o.client().Haircuts.DraftHaircut(ctx, &musterv1.DraftHaircutRequest{AsOf: o.asOf.message(), Ask: ask})
	if err != nil {
		return answer{}, err
	}
	ans := haircutAnswer(res.GetHaircut())
	ans.message = res
	if o.output != "table" && o.output != "wide" {
		return ans, nil
	}
	both, err := o.effects(ctx)
	if err != nil {
		return answer{}, err
	}
	tail := ans.tail
	ans.tail = func(p *page) {
		tail(p)
		p.say("\nSide by side:")
		p.table(effectTable(both))
		if len(res.GetHaircut().GetWaves()) > 0 {
			p.say("\nKeep it: %s --save NAME", words.Shell(o.typed()...))
		}
	}
	return ans, nil
}

func (o *haircutPlanOptions) effects(ctx context.Context) (*musterv1.CompareHaircutsResponse, error) {
	buffers, err := o.buffers()
	if err != nil {
		return nil, err
	}
	return o.client().Haircuts.CompareHaircuts(ctx, &musterv1.CompareHaircutsRequest{AsOf: o.asOf.message(), Scope: o.scope, Buffers: buffers})
}

func (o *haircutPlanOptions) compare(ctx context.Context) (answer, error) {
	res, err := o.effects(ctx)
	if err != nil {
		return answer{}, err
	}
	return answer{message: res, table: effectTable(res), tail: func(p *page) {
		for _, e := range res.GetEffects() {
			if e.GetUnavailable() != "" && e.GetBasis() == "cluster" {
				p.say("%s: %s", e.GetPolicy(), e.GetUnavailable())
			}
		}
	}}, nil
}

func effectTable(res *musterv1.CompareHaircutsResponse) *table {
	t := newTable("", column{head: "POLICY"}, column{head: "BASIS"}, column{head: "CLUSTERS ABOVE", brief: "OVER", right: true},
		column{head: "SUSTAINABLE", right: true}, column{head: "GPUS CUT", brief: "CUT", right: true}, column{head: "ABOVE USE", right: true},
		column{head: "IDLE", right: true}, column{head: "REST", right: true}, column{head: "QUOTAS", right: true},
		column{head: "OWNERS", right: true}, column{head: "BELOW GANG", right: true, spare: true})
	for _, e := range res.GetEffects() {
		if e.GetUnavailable() != "" {
			continue
		}
		c := e.GetCut()
		t.add(e.GetPolicy(), e.GetBasis(), e.GetClustersAbove(), e.GetSustainable(), c.GetTotal(), c.GetUnscheduled(),
			c.GetIdle(), c.GetRest(), e.GetQuotas(), e.GetPeople(), e.GetBelowGang())
	}
	return t
}

// keep saves the plan.
func (o *haircutPlanOptions) keep(ctx context.Context) error {
	if err := o.nowOnly(); err != nil {
		return err
	}
	if len(o.policies) > 1 {
		return usage("--save keeps one plan; give it one --policy, or none for the policy in force")
	}
	ask, err := o.haircutAsk.message(o.scope)
	if err != nil {
		return err
	}
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress("trying the plan on a copy of the fleet")
	res, err := o.client().Haircuts.PlanHaircut(ctx, &musterv1.PlanHaircutRequest{Write: o.writing.message(), Name: o.save, Ask: ask, Effective: o.effective.message()})
	done()
	if err != nil {
		return err
	}
	ans := haircutAnswer(res.GetHaircut())
	ans.message = res
	tail := ans.tail
	ans.tail = func(p *page) {
		tail(p)
		if res.GetWritten().GetDryRun() {
			p.say("\ndry run, nothing was saved")
			return
		}
		p.say("\nSaved as %s (version %d). Next: muster haircut review %s; tell the people (muster haircut tell %[1]s, then --done); muster haircut apply %[1]s",
			o.save, res.GetWritten().GetVersion(), o.save)
	}
	return o.print(o.Out, ans)
}
