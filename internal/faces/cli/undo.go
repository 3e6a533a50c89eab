package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

// undoOptions are those of `muster undo`.
type undoOptions struct {
	*app
	reading
	who   string
	since moment
}

func newUndo(a *app) *cobra.Command {
	o := &undoOptions{app: a, since: moment{env: a.Env}}
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "how to take back what you changed: the commands, the last change first",
		Long: `Undo lists your changes of the last day with the command that takes each back. It changes nothing.
Give the commands in this order, from the top: a later change may rest on an earlier one.
A command that is longer than a line goes on in the next: copied together, they are one.
A change that such a command took back is not listed any more, and neither is the undo.
Of a grant that you set several times the first change is listed: its command takes all of them back.
A haircut has an undo of its own, for all its waves: muster haircut undo NAME --all. A saved plan is
deleted, once none of its waves is in force.`,
		Example: "  muster undo\n  muster undo --since 2h\n  muster undo --who ada --since 7d",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.who, "who", "", "what actors changed whose name contains this; none: you")
	cmd.Flags().Var(&o.since, "since", "from this moment on: 2026-11-01, or 7d (1d)")
	return cmd
}

func (o *undoOptions) ask(ctx context.Context) (answer, error) {
	who := o.who
	if who == "" {
		s, err := o.client().System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true})
		if err != nil {
			return answer{}, err
		}
		who = s.GetActor()
	}
	since := o.since.message()
	if since == nil {
		since = timestamppb.New(o.Now().Add(-24 * time.Hour))
	}
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: o.asOf.message(), Who: who, Since: since, Limit: most})
	if err != nil {
		return answer{}, err
	}
	t := undoTable(who)
	if len(res.GetRecords()) == 0 && o.who != "" {
		t, err = o.byNone(ctx, t)
	}
	if err != nil {
		return answer{}, err
	}
	over, err := o.endings(ctx, since, res.GetRecords())
	if err != nil {
		return answer{}, err
	}
	back := takenBack(res.GetRecords())
	on, same := steps(res.GetRecords(), back)
	for _, r := range slices.Backward(res.GetRecords()) {
		if undone(r) != 0 || on[r.GetSeq()] {
			continue
		}
		commands := o.undoes(ctx, r, over)
		if back[r.GetSeq()] >= len(commands) || same[r.GetSeq()] && !strings.Contains(commands[0], " --gang ") {
			continue
		}
		for _, command := range commands {
			t.add(r.GetSeq(), r.GetAt(), r.GetActor(), command)
		}
	}
	return answer{message: res, table: t}, nil
}

// steps are the records that need no undo of their own: an earlier one, taken back, sets the same grant to what it was
// before. Same are those after which the grant has again the GPUs that it had before.
func steps(records []*musterv1.Record, back map[uint64]int) (on, same map[uint64]bool) {
	on, same = map[uint64]bool{}, map[uint64]bool{}
	first, was := map[grantSet]uint64{}, map[grantSet]float64{}
	for _, r := range records {
		set, before, after, is := setsGrant(r)
		if !is || undone(r) != 0 || back[r.GetSeq()] > 0 {
			continue
		}
		if first[set] == 0 {
			first[set], was[set] = r.GetSeq(), before
			continue
		}
		on[r.GetSeq()] = true
		same[first[set]] = set.gang == 0 && after == was[set]
	}
	return on, same
}

// grantSet is a grant that records set: of a quota in a partition, with a gang.
type grantSet struct {
	quota, partition string
	gang             int
}

// setsGrant is the grant that a record sets, and no more than that one, with its GPUs before and after. What ends by
// itself is set apart, and is no such grant.
func setsGrant(r *musterv1.Record) (set grantSet, before, after float64, is bool) {
	for _, e := range r.GetEvents() {
		var f reversible
		if reversals[e.GetKind()] == nil {
			continue
		}
		if is || e.GetKind() != "grant.set" || json.Unmarshal([]byte(e.GetData()), &f) != nil || f.Temporary != f.WasTemporary {
			return grantSet{}, 0, 0, false
		}
		before, _ = f.Was.(float64)
		set, after, is = grantSet{f.Quota, f.Partition, f.Gang}, float64(f.GPUs), true
	}
	return set, before, after, is
}

// byNone is an empty table, which says so where the log has no record by the actor that was asked for.
func (o *undoOptions) byNone(ctx context.Context, t *table) (*table, error) {
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: o.asOf.message(), Who: o.who, Limit: 1})
	if err != nil || len(res.GetRecords()) > 0 {
		return t, err
	}
	t.empty = fmt.Sprintf("The log has no change by an actor whose name contains %q; the column BY of muster events shows who changed what.", o.who)
	return t, nil
}

// undoTable is without rows. The number of a record stands in its command, too.
func undoTable(who string) *table {
	return newTable("Nothing is left of what "+who+" changed that muster undo takes back; --since 7d looks further back, and muster events --who lists all changes of an actor.",
		column{head: "VERSION", right: true, wide: true}, column{head: "WHEN"}, column{head: "BY", name: true, wide: true}, column{head: "UNDO", shell: true})
}

// takenBack counts, for each record, the later ones that take it back: those that say so in their
// reason, and the end of each wave of a haircut.
func takenBack(records []*musterv1.Record) map[uint64]int {
	back, waves := map[uint64]int{}, map[string][]uint64{} // in force, by haircut and cluster
	for _, r := range records {
		of := undone(r)
		if of != 0 {
			back[of]++
			for _, step := range stepsBefore(records, r, of) {
				back[step]++
			}
		}
		for _, e := range r.GetEvents() {
			var f reversible
			if json.Unmarshal([]byte(e.GetData()), &f) != nil {
				continue
			}
			wave := fmt.Sprint(f.Haircut, " ", f.Cluster)
			switch in := waves[wave]; {
			case e.GetKind() == "haircut.applied":
				waves[wave] = append(in, r.GetSeq())
			case e.GetKind() == "haircut.undone" && slices.Contains(in, of):
				waves[wave] = slices.DeleteFunc(in, func(n uint64) bool { return n == of })
			case e.GetKind() == "haircut.undone" && len(in) > 0:
				back[in[len(in)-1]]++
				waves[wave] = in[:len(in)-1]
			}
		}
	}
	return back
}

// stepsBefore are the records between a record and its undo that set the same grant: the undo takes them back, too.
func stepsBefore(records []*musterv1.Record, undo *musterv1.Record, of uint64) (seqs []uint64) {
	set, _, _, is := setsGrant(undo)
	for _, r := range records {
		one, _, _, sets := setsGrant(r)
		between := r.GetSeq() > of && r.GetSeq() < undo.GetSeq()
		if is && sets && between && undone(r) == 0 && one.quota == set.quota && one.partition == set.partition {
			seqs = append(seqs, r.GetSeq())
		}
	}
	return seqs
}

// undone is the record that another one takes back, as the reason of an undo says; 0 for none.
func undone(r *musterv1.Record) (seq uint64) {
	if n, ok := strings.CutPrefix(r.GetReason(), undoing); ok {
		seq, _ = strconv.ParseUint(n, 10, 64) // another reason that begins so: 0
	}
	return seq
}

// undoing begins the reason of a command that takes a record back; its number follows.
const undoing = "undo "

// undoOf says how a change is taken back that was just made; "" where no command does.
func (a *app) undoOf(ctx context.Context, w *musterv1.Written) string {
	if w.GetDryRun() || w.GetRepeat() || w.GetProposal() != 0 || w.GetVersion() == 0 || a.output != "table" && a.output != "wide" ||
		slices.Contains(w.GetNotes(), wire.Unchanged) { // the newest record is then another caller's
		return ""
	}
	res, err := a.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: w.GetVersion(), Limit: 1})
	if err != nil || len(res.GetRecords()) == 0 || res.GetRecords()[0].GetSeq() != w.GetVersion() {
		return ""
	}
	return strings.Join(a.undoes(ctx, res.GetRecords()[0], nil), "; ")
}

// undoes are the commands that take a record back, in the order in which they are to be given: those of what
// has not ended since.
func (a *app) undoes(ctx context.Context, r *musterv1.Record, over endings) (commands []string) {
	nodes := map[string][]string{}
	for _, e := range slices.Backward(r.GetEvents()) {
		var f reversible
		if json.Unmarshal([]byte(e.GetData()), &f) != nil || over.since(r.GetSeq(), e.GetKind(), f) {
			continue
		}
		if e.GetKind() == "node.changed" {
			if verb := nodeUndo(f); verb != "" {
				nodes[verb] = append(nodes[verb], f.Node)
			}
			continue
		}
		if line := a.reverse(ctx, e.GetKind(), f, r); line != nil {
			commands = append(commands, a.because(r, a.byTwo(ctx, line)))
		}
	}
	if starts(r) != "" {
		return append(commands, a.because(r, []string{"rollout", "abandon", starts(r)})) // visits that have begun are finished
	}
	for _, verb := range []string{"uncordon", "cordon", "drain", setsHealthy, setsProbation} {
		if list := nodes[verb]; len(list) > 0 {
			slices.Sort(list)
			commands = append(commands, a.because(r, nodeLine(verb, text.Folded(list))))
		}
	}
	return commands
}

// starts is the rollout that a record starts; "": none.
func starts(r *musterv1.Record) string {
	for _, e := range r.GetEvents() {
		var is struct {
			Rollout struct {
				Name  string
				Added int64
			}
		}
		if e.GetKind() == "rollout.set" && json.Unmarshal([]byte(e.GetData()), &is) == nil && is.Rollout.Added == r.GetAt().AsTime().UnixNano() {
			return is.Rollout.Name
		}
	}
	return ""
}

// because writes a command that says why it is given.
func (a *app) because(r *musterv1.Record, line []string) string {
	return words.Shell(append(append([]string{"muster"}, line...), "--reason", undoing+fmt.Sprint(r.GetSeq()))...)
}

// byTwo adds --propose to a command that takes two people by the policy in force.
func (a *app) byTwo(ctx context.Context, line []string) []string {
	sets, over := line[0] == "buffer", slices.Contains(line, "--overcommit")
	if !sets && !over {
		return line
	}
	res, err := a.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{})
	two := res.GetPolicy().GetTwoPeople().GetFor()
	if err == nil && (sets && slices.Contains(two, "policy") || over && slices.Contains(two, "overcommit")) {
		return append(line, "--propose")
	}
	return line
}
