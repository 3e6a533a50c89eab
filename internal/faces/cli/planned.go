package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// plannedOptions are those of `muster maintenance ahead`.
type plannedOptions struct {
	*app
	reading
	naming
	want musterv1.PlannedWorkRequest
}

func newPlanned(a *app) *cobra.Command {
	o := &plannedOptions{app: a}
	cmd := &cobra.Command{
		Use: "ahead [WORKLOAD]", Short: "planned work that concerns a workload, a node, a quota or a place: when, what becomes of the work, what to do",
		Example: "  muster maintenance ahead train\n  muster maintenance ahead --quota research/oak",
		Args:    needs(0, 1, "the name of a workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.want.Workload = args[0]; !strings.Contains(args[0], "/") {
					o.want.Workload = o.home(o.app) + "/" + args[0]
				}
			}
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.want.Scope, "scope", "", "or a cluster, cluster/gpu or cluster/gpu/island")
	f.StringVar(&o.want.Node, "node", "", "or a node")
	f.StringVar(&o.want.Quota, "quota", "", "or a quota: the nodes of its work")
	return cmd
}

func (o *plannedOptions) ask(ctx context.Context) (answer, error) {
	o.want.AsOf = o.asOf.message()
	res, err := o.client().Maintenance.PlannedWork(ctx, &o.want)
	if err != nil {
		return answer{}, err
	}
	t := newTable("No planned work concerns it.", column{head: "WHAT", name: true}, column{head: "STATE"}, column{head: "IMPACT"}, column{head: "BEGINS"}, column{head: "ENDS", spare: true},
		column{head: "NODES", right: true}, column{head: "WORK", cut: true, spare: true}, column{head: "WHAT BECOMES OF IT", folds: true}, column{head: "TO DO", wide: true})
	for _, w := range res.GetWorks() {
		t.add(w.GetOf(), w.GetState(), w.GetImpact(), w.GetBegins(), w.GetEnds(), w.GetNodes(), w.GetWorkloads(), w.GetBecomes(), w.GetHelp())
	}
	return answer{message: res, table: t, tail: func(p *page) { p.toDo(res.GetWorks()) }, unmet: unmetIf(len(res.GetWorks()) == 0, "no planned work concerns it")}, nil
}

// toDo says what the owner of the work can do about it, each command once.
func (p *page) toDo(works []*musterv1.PlannedWork) {
	told := map[string]bool{}
	for _, w := range works {
		if help := w.GetHelp(); help != "" && !told[help] && !p.wide {
			told[help] = true
			p.say("")
			p.toCopy("A moment that suits you: ", help)
		}
	}
}

// wholeOptions are those of `muster rollout show` and `muster nfz show`.
type wholeOptions struct {
	*app
	reading
	want musterv1.GetMaintenanceRequest
}

// showsOne makes a command that shows one rollout or zone in full.
func showsOne(a *app, cmd *cobra.Command, name func(*wholeOptions, string), show func(res *musterv1.GetMaintenanceResponse) answer) *cobra.Command {
	o := &wholeOptions{app: a}
	cmd.Args = needs(1, 1, "a name")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name(o, args[0])
		return o.read(cmd.Context(), &o.reading, func(ctx context.Context) (answer, error) {
			o.want.AsOf = o.asOf.message()
			res, err := o.client().Maintenance.GetMaintenance(ctx, &o.want)
			if err != nil {
				return answer{}, err
			}
			ans := show(res)
			ans.message = res
			return ans, nil
		})
	}
	o.reading.flags(a, cmd)
	return cmd
}

func newRolloutShow(a *app) *cobra.Command {
	var x searching
	var one string // those of the whole fleet come with it
	cmd := showsOne(a, &cobra.Command{
		Use: "show NAME", Short: "one rollout, node by node: how far each is, and what it waits for", Example: "  muster rollout show driver-580\n  muster rollout show driver-580 --search 20s   # play it through for longer",
		Long: `Show says how far a rollout is, node by node, and when it should end: its rest is played through with the rules that
decide. Where many visits remain that may stop before the end. Then the end is not known, and --search gives it more time.`,
	},
		func(o *wholeOptions, name string) {
			o.want.Rollout, one, o.want.Search = name, name, x.search.message()
		}, func(res *musterv1.GetMaintenanceResponse) answer {
			res.Rollouts = slices.DeleteFunc(res.GetRollouts(), func(r *musterv1.Rollout) bool { return r.GetName() != one })
			note := ""
			t := newTable("No node of its scope fits its updates.", column{head: "NODE", name: true}, column{head: "PARTITION", name: true}, column{head: "ISLAND"}, column{head: "STATE"}, column{head: "WAITS FOR", folds: true})
			for _, r := range res.GetRollouts() {
				if r.GetEnded() != nil {
					t.empty = "No node of its scope fits what is left of its updates."
				}
				for _, n := range r.GetNodes() {
					t.add(n.GetNode(), n.GetPartition(), n.GetIsland(), n.GetState(), waitText(n.GetWait()))
				}
				note = cmp.Or(note, endText(r))
			}
			return answer{table: t, note: note, lead: func(p *page) { p.rollouts(res.GetRollouts()) }}
		})
	x.flags(cmd.Flags(), "2s")
	return cmd
}

// endText says when a rollout ends, and what would make it sooner.
func endText(r *musterv1.Rollout) string {
	e := r.GetEnd()
	if e == nil {
		return ""
	}
	says := "When it ends is not known: " + e.GetUnknown() + "."
	if e.GetP50() != nil {
		says = "It should end by " + dayTime(e.GetP50()) + " (p50), and in nine of ten cases by " + dayTime(e.GetP90()) + " (p90)."
	}
	if e.GetLonger() != nil {
		says += "\nSearch longer: " + words.Shell("muster", "rollout", "show", r.GetName(), "--search", words.Duration(e.GetLonger().AsDuration()))
	}
	for _, c := range e.GetSooner() {
		says += "\nSooner: " + c.GetChange() + ": by " + dayTime(c.GetP50()) + "."
	}
	return says
}

func dayTime(at *timestamppb.Timestamp) string { return at.AsTime().Format("2006-01-02 15:04Z") }

// rollouts says in one line how far each rollout is, and in another what it waits for.
func (p *page) rollouts(list []*musterv1.Rollout) {
	for _, r := range list {
		p.say("%s is %s in stage %s: %s of %s done, %s failed, %s visited now.", r.GetName(), r.GetState(), r.GetStage(), text.Group(r.GetDone()), text.Count(r.GetOf(), "node"), text.Group(r.GetFailed()), text.Group(r.GetVisits()))
		if why := r.GetWhy(); why != "" {
			p.wrapAs("", "Why it is "+r.GetState()+": "+strings.TrimSuffix(why, ".")+".")
		}
		if waits := waitsText(r); waits != "" {
			p.wrapAs("", "It waits for: "+waits+".")
		}
		p.say("")
	}
}

// boards says what zones keep away, for whom, and what that costs.
func (p *page) boards(list []*musterv1.Zone) {
	for _, z := range list {
		p.say("%s keeps %s away from %s, %s. %s: ask %s, %s", z.GetName(), strings.Join(z.GetBlocks(), ", "), z.GetScope()+z.GetWorkload(), p.inForce(z), z.GetReason(), z.GetOwner(), z.GetLink())
		costs := []string{words.Count(int(z.GetBehind()), "node") + " behind"}
		if z.GetOldest() != nil && z.GetBehind() > 0 {
			costs[0] += " since " + p.moment(z.GetOldest().AsTime())
		}
		costs = append(costs, words.Count(int(z.GetUntested()), "combination")+" never proven")
		for what, names := range map[string][]string{"rollouts blocked: ": z.GetBlocked(), "deadlines and maintenances inside: ": z.GetConflicts()} {
			if len(names) > 0 {
				costs = append(costs, what+strings.Join(names, ", "))
			}
		}
		slices.Sort(costs[2:])
		p.say("It costs: %s.\n", strings.Join(costs, "; "))
	}
}

// inForce says when a zone is in force.
func (p *page) inForce(z *musterv1.Zone) string {
	switch {
	case z.GetEnded() != nil:
		return "and is ended"
	case z.GetActive():
		return "until " + p.moment(z.GetTo().AsTime())
	}
	return "from " + p.moment(z.GetFrom().AsTime()) + " to " + p.moment(z.GetTo().AsTime())
}

// waitText is one reason in a line; "": there is none.
func waitText(w *musterv1.WaitReason) string {
	if w == nil {
		return ""
	}
	return waitsText(&musterv1.Rollout{Waits: []*musterv1.WaitReason{w}})
}

func newZoneShow(a *app) *cobra.Command {
	var one string // others over the same nodes come with it
	return showsOne(a, &cobra.Command{Use: "show NAME", Short: "what one zone costs, and what piles up behind it, in the order in which it starts when the zone lifts", Example: "  muster nfz show launch"},
		func(o *wholeOptions, name string) { o.want.Zone, one = name, name }, func(res *musterv1.GetMaintenanceResponse) answer {
			res.Zones = slices.DeleteFunc(res.GetZones(), func(z *musterv1.Zone) bool { return z.GetName() != one })
			t := newTable("Nothing piles up behind the zone.", column{head: "ROLLOUT", name: true}, column{head: "GPU"}, column{head: "NODES", right: true}, column{head: "COMBINATION", cut: true},
				column{head: "VERDICT"}, column{head: "TAKES AT LEAST"}, column{head: "CONFIGURATION", wide: true})
			for _, z := range res.GetZones() {
				for _, p := range z.GetPiles() {
					t.add(p.GetRollout(), p.GetGpu(), p.GetNodes(), p.GetRuns(), p.GetVerdict(), words.Duration(p.GetTakes().AsDuration()), p.GetConfiguration())
				}
			}
			return answer{table: t, lead: func(p *page) { p.boards(res.GetZones()) }}
		})
}
