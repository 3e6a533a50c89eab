package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// freeOptions are those of `muster free`.
type freeOptions struct {
	*app
	reading
	naming
	scope   string
	need    string
	islands bool
	all     bool
	count
}

// count is how much room is asked for: replicas of so many GPUs each; without
// replicas, GPUs however they lie.
type count struct{ replicas, gpus int32 }

func newFree(a *app) *cobra.Command {
	o := &freeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "free [CLUSTER | CLUSTER/GPU | QUOTA]",
		Short: "what you can use now: in each quota that you may target, and on flex",
		Long: `Free says what you could start now, and what is known to change next. For each quota that you may target
it lists guaranteed GPUs, the largest gang in one island, and what could be borrowed; for flex, free room.
RESERVED is GPUs for which a workload ahead holds a reservation: they are not in FREE, and what starts
before it must have ended when it should start.
Muster fit tries a certain shape. With --islands or --need it lists the islands with free room: GPUs that
no workload holds or has reserved. Islands in which nothing new starts are left out, and it is said why.`,
		Example: `  muster free
  muster free research/oak
  muster free tiger/h200 --islands
  muster free --need 16x8 --exit-code   # is there an island with free room for 16 replicas of 8 GPUs?`,
		Args: needs(0, 1, "at most one cluster, partition or quota"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			if err := o.count.parse(o.need); err != nil {
				return err
			}
			if (o.islands || o.need != "") && o.output == "svg" {
				return usage("islands and --need are no picture; leave them out, or write -o json")
			}
			if (o.islands || o.need != "") && mustBeQuota(o.scope) {
				return usage("--islands and --need ask about a cluster or a partition, and %s is a quota; muster quota show %s says in which islands it is backed", o.scope, o.scope)
			}
			if o.islands || o.need != "" {
				return o.read(cmd.Context(), &o.reading, o.ask)
			}
			return o.read(cmd.Context(), &o.reading, o.usable)
		},
	}
	o.reading.flags(a, cmd)
	o.naming.flags(cmd)
	cmd.Flags().BoolVar(&o.islands, "islands", false, "free room by island")
	cmd.Flags().BoolVarP(&o.all, "all", "A", false, "every quota, not only those that you may target")
	cmd.Flags().StringVar(&o.need, "need", "", "only islands with this room: 64 GPUs, or 16x8 for 16 replicas of 8 GPUs")
	return cmd
}

func (c *count) parse(text string) error {
	if text == "" {
		return nil
	}
	replicas, gpus, ok := strings.Cut(text, "x")
	if !ok {
		replicas, gpus = "0", text
	}
	m, errReplicas := gpusOf(replicas)
	n, errGPUs := gpusOf(gpus)
	if errReplicas != nil || errGPUs != nil || n == 0 || (ok && m == 0) {
		return usage("--need %.40q is no room; write GPUs as in 64, or replicas and their GPUs as in 16x8", text)
	}
	*c = count{m, n}
	return nil
}

func (o *freeOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Capacity.Free(ctx, &musterv1.FreeRequest{AsOf: o.asOf.message(), Scope: o.scope})
	if err != nil {
		return answer{}, err
	}
	barred := o.startsNothing(ctx, &o.asOf, o.scope)
	ans := answer{message: res, tail: func(p *page) { p.barred(barred) }}
	res.Islands = slices.DeleteFunc(res.GetIslands(), func(i *musterv1.FreeIsland) bool { return barred[i.GetPartition()] != "" })
	if o.need != "" {
		res.Islands = slices.DeleteFunc(res.GetIslands(), func(i *musterv1.FreeIsland) bool { return !o.fits(i) })
		if len(res.GetIslands()) == 0 {
			ans.unmet = "no island has " + o.String() + " free"
		}
	}
	ans.table = o.table(res.GetIslands(), len(barred) > 0)
	return ans, nil
}

func (c count) String() string {
	if c.replicas == 0 {
		return text.Count(c.gpus, "GPU")
	}
	return fmt.Sprintf("%s of %s", text.Count(c.replicas, "replica"), text.Count(c.gpus, "GPU"))
}

// fits says whether the room is free in an island. What a free node has is the
// island's free GPUs that are on no partly free node.
func (c count) fits(i *musterv1.FreeIsland) bool {
	if c.replicas == 0 {
		return i.GetFree() >= c.gpus
	}
	rest, places := i.GetFree(), int32(0)
	for free, nodes := range i.GetNodesByFree() {
		rest -= free * nodes
		places += free / c.gpus * nodes
	}
	if i.GetFreeNodes() > 0 {
		places += rest / i.GetFreeNodes() / c.gpus * i.GetFreeNodes()
	}
	return places >= c.replicas
}

func (o *freeOptions) table(islands []*musterv1.FreeIsland, barred bool) *table {
	empty := "There are no islands yet; muster apply -f FILE adds them."
	switch {
	case o.need != "":
		empty = "No island has " + o.String() + " free."
	case barred:
		empty = "There is no island in which anything new starts."
	}
	t := newTable(empty,
		column{head: "PARTITION", name: true}, column{head: "ISLAND", name: true},
		column{head: "FREE", right: true}, column{head: "FREE NODES", right: true},
		column{head: "PARTLY FREE NODES", cut: true, spare: true},
	)
	for _, i := range islands {
		t.add(i.GetPartition(), i.GetIsland(), i.GetFree(), i.GetFreeNodes(), partly(i.GetNodesByFree()))
	}
	return t
}

// partly says how many nodes have how many free GPUs: 3 with 4, 1 with 2.
func partly(nodes map[int32]int32) string {
	var sizes []int32
	for free := range nodes {
		sizes = append(sizes, free)
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	var parts []string
	for _, free := range sizes {
		parts = append(parts, fmt.Sprintf("%d with %d", nodes[free], free))
	}
	return strings.Join(parts, ", ")
}
