package cli

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newRollout(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "rollout", Aliases: []string{"rollouts"}, Short: "bring updates to nodes, by a canary and waves: plan, start, pause, resume, abandon, list, show"}
	return group(cmd, newRolloutStart(a, "plan"), newRolloutStart(a, "start"), newRolloutMove(a, "pause", "paused"), newRolloutMove(a, "resume", "running"),
		newRolloutMove(a, "abandon", "abandoned"), newRolloutList(a), newRolloutShow(a))
}

// rolloutOptions are those of `muster rollout start` and `plan`.
type rolloutOptions struct {
	*app
	writing
	want    musterv1.StartRolloutRequest
	soak    span
	waves   []string
	allowed int32
	searching
}

func newRolloutStart(a *app, verb string) *cobra.Command {
	o := &rolloutOptions{app: a}
	cmd := &cobra.Command{
		Use: verb + " NAME", Short: "start a rollout: a canary first, then waves, and no promise broken",
		Long: `A rollout visits the nodes of a scope. Its canary proves each configuration first; waves follow, each when the one
before is done. Nodes with in-quota work wait until that work ends. muster rollout list says what it waits for.
A dry run plays it through, to say when it should end. Where that stops too early, --search gives it more time.`,
		Example: "  muster rollout " + verb + " driver-580 --scope tiger/h200 --update driver-580 --canary 2 --soak 24h",
		Args:    needs(1, 1, "the name of a rollout"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	if verb == "plan" {
		cmd.Short = "say what starting a rollout would do first, and change nothing"
		o.dryRun = true
	}
	o.writing.flags(cmd)
	if verb == "plan" {
		o.dryRun = true
	}
	f := cmd.Flags()
	f.StringVar(&o.want.Scope, "scope", "", "fleet, cluster, cluster/gpu or cluster/gpu/island")
	f.StringSliceVar(&o.want.Nodes, "node", nil, "or a node, or a range of them; may be repeated")
	f.StringSliceVar(&o.want.Updates, "update", nil, "an update of the bundle; may be repeated")
	f.Int32Var(&o.want.CanaryNodes, "canary", 0, "nodes of the canary (0: 2)")
	f.Var(&o.soak, "soak", "how long a canary must run without a failure (none: 24h)")
	f.BoolVar(&o.want.CanaryAuto, "canary-anywhere", false, "canaries may stand outside the scope, where nothing keeps them")
	f.StringSliceVar(&o.waves, "wave", nil, "shares of the nodes, growing, as in 5%,25%,100%")
	f.Int32Var(&o.want.PerIsland, "per-island", 0, "nodes visited at once in an island (0: 2)")
	f.Int32Var(&o.want.PerPartition, "per-partition", 0, "nodes visited at once in a partition (0: 5 %)")
	f.BoolVar(&o.want.Racks, "racks", false, "all nodes of a rack together")
	f.Int32Var(&o.allowed, "allowed-failures", -1, "of a wave; below 0: 1, or 2 % of its nodes")
	o.searching.flags(f, "2s; with --dry-run")
	f.BoolVar(&o.want.Bisect, "bisect", false, "search for the updates that fail where a canary of several fails")
	return cmd
}

func (o *rolloutOptions) run(cmd *cobra.Command, name string) error {
	nodes, err := nodeNames(o.want.GetNodes())
	if err != nil {
		return err
	}
	for _, w := range o.waves {
		share, err := strconv.ParseFloat(strings.TrimSuffix(w, "%"), 64)
		if err != nil || share <= 0 || share > 100 {
			return usage("%.20q is no share; write it as in 25%%", w)
		}
		o.want.Waves = append(o.want.Waves, int32(math.Round(share*10)))
	}
	o.want.Write, o.want.Name, o.want.Nodes, o.want.Soak = o.writing.message(), name, nodes, o.soak.message()
	o.want.Search = o.search.message()
	if o.allowed >= 0 {
		o.want.AllowedFailures = &o.allowed
	}
	return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
		res, err := o.client().Maintenance.StartRollout(ctx, &o.want)
		return res.GetWritten(), err
	}, "rollout "+name+" started", "muster rollout list says how far it is, and what it waits for.")
}

// moves says what becomes of a rollout by each verb.
var moves = map[string]string{
	"pause":   "begin no more visits for now; one that has begun is finished",
	"resume":  "begin visits again, as gates and limits allow",
	"abandon": "begin no more visits, for good; one that has begun is finished",
}

func newRolloutMove(a *app, verb, state string) *cobra.Command {
	notTheUpdate := false
	cmd := changesNamed(a, &cobra.Command{Use: verb + " NAME", Short: moves[verb], Example: "  muster rollout " + verb + " driver-580"},
		"a rollout", state, func(ctx context.Context, w *musterv1.Write, name string) (*musterv1.Written, error) {
			res, err := a.client().Maintenance.MoveRollout(ctx, &musterv1.MoveRolloutRequest{Write: w, Name: name, State: state, NotTheUpdate: notTheUpdate})
			return res.GetWritten(), err
		})
	if verb == "resume" {
		cmd.Flags().BoolVar(&notTheUpdate, "not-the-update", false, "the canary failed for another cause, which --reason names: another canary is taken")
	}
	return cmd
}

func newRolloutList(a *app) *cobra.Command {
	return asksMaintenance(a, &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list rollouts: how far they are, and what they wait for", Example: "  muster rollout list",
	}, func(res *musterv1.GetMaintenanceResponse) (*table, string) {
		t := newTable("There are no rollouts.", column{head: "ROLLOUT", name: true}, column{head: "SCOPE", cut: true}, column{head: "STATE"}, column{head: "STAGE"},
			column{head: "DONE", right: true}, column{head: "OF", right: true}, column{head: "FAILED", right: true}, column{head: "NOW", right: true},
			column{head: "WAITS FOR", folds: true, spare: true}, column{head: "WHY", folds: true, spare: true}, column{head: "UPDATES", cut: true, wide: true}, column{head: "BY", wide: true})
		for _, r := range res.GetRollouts() {
			t.add(r.GetName(), r.GetScope(), r.GetState(), r.GetStage(), r.GetDone(), r.GetOf(), r.GetFailed(), r.GetVisits(), waitsText(r), r.GetWhy(), r.GetUpdates(), r.GetBy())
		}
		return t, unmetIf(len(res.GetRollouts()) == 0, "there is no rollout")
	})
}

// waitsText is what a rollout waits for, in a line.
func waitsText(r *musterv1.Rollout) string {
	var parts []string
	for _, w := range r.GetWaits() {
		text := w.GetCode()
		if of := w.GetZone() + w.GetWho(); of != "" {
			text += " (" + of + ")"
		}
		if w.GetNodes() > 1 {
			text += " on " + strconv.Itoa(int(w.GetNodes())) + " nodes"
		}
		if w.GetUntil() != nil {
			text += " until " + w.GetUntil().AsTime().Format("2006-01-02 15:04Z")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
