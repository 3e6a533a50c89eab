package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

// wholeFleet is the scope of the policy that holds where no narrower one is set.
const wholeFleet = "fleet"

func newBuffer(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "buffer", Aliases: []string{"buffers"}, Short: "buffer policies: what is kept back from promises, and where: list, set"}
	return group(cmd, newBufferList(a), newBufferSet(a))
}

func newBufferList(a *app) *cobra.Command {
	o := &showOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list the buffer policies that people have set, the fleet's first",
		Example: "  muster buffer list",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.buffers)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *showOptions) buffers(ctx context.Context) (answer, error) {
	res, err := o.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("", column{head: "SCOPE", name: true}, column{head: "POLICY"})
	t.add(wholeFleet, wire.BufferTold(res.GetPolicy().GetBuffer()).InFull())
	for _, scope := range slices.Sorted(maps.Keys(res.GetBuffers())) {
		t.add(scope, wire.BufferTold(res.GetBuffers()[scope]).InFull())
	}
	return answer{message: &musterv1.GetFleetResponse{
		Seen: res.GetSeen(), Policy: &musterv1.Policy{Buffer: res.GetPolicy().GetBuffer()}, Buffers: res.GetBuffers(),
	}, table: t}, nil
}

// bufferSetOptions are those of `muster buffer set`.
type bufferSetOptions struct {
	*app
	writing
	confirming
	confidence, floor, ceiling string
}

func newBufferSet(a *app) *cobra.Command {
	o := &bufferSetOptions{app: a}
	cmd := &cobra.Command{
		Use:   "set SCOPE POLICY",
		Short: "set what the fleet, a cluster, a partition or an island keeps back from promises",
		Long: `Set gives a scope a buffer policy of its own; the closest one holds. SCOPE is fleet, a cluster (tiger), a
partition (tiger/h200) or an island (tiger/h200/i1). POLICY is ` + policiesMean() + `.
With inherit a scope has no policy of its own any more, and the next wider one holds.

A larger buffer lowers what is backed: a change that makes running work unprotected needs a --reason, and
the people of that work are told. --dry-run names it first.`,
		Example: "  muster buffer set tiger/h200 10% --dry-run\n" +
			"  muster buffer set fleet 15% --reason 'as agreed'\n" +
			"  muster buffer set lynx/h100 calibrated --confidence 99% --ceiling 20%\n" +
			"  muster buffer set lynx/h100 inherit --reason 'as everywhere'",
		Args: needs(2, 2, "where (fleet, a cluster, a partition or an island), and a policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := o.policy(args[1])
			if err != nil {
				return err
			}
			if b == nil && args[0] == wholeFleet {
				return usage("the fleet's own policy holds where no other does, and cannot be taken away; set another one")
			}
			return o.writeAsking(cmd.Context(), &o.confirming, &o.writing, o.set(args[0], b), args[0]+keptBack(b))
		},
	}
	o.writing.flags(cmd)
	o.writing.proposes(cmd)
	o.confirming.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.confidence, "confidence", "", "of "+words.LearningKinds()+": the share of promises that is to be kept (99%)")
	f.StringVar(&o.floor, "floor", "", "of "+words.LearningKinds()+": the least share that is kept back (2%)")
	f.StringVar(&o.ceiling, "ceiling", "", "of "+words.LearningKinds()+": the largest share that is kept back (30%)")
	return cmd
}

// set is the change of the policy of a scope.
func (o *bufferSetOptions) set(scope string, b *musterv1.Buffer) change {
	return func(ctx context.Context, w *musterv1.Write) (*musterv1.Written, error) {
		if scope == wholeFleet {
			res, err := o.client().Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Write: w, Policy: &musterv1.Policy{Buffer: b}})
			return res.GetWritten(), err
		}
		res, err := o.client().Fleet.SetBuffer(ctx, &musterv1.SetBufferRequest{Write: w, Scope: scope, Buffer: b})
		return res.GetWritten(), err
	}
}

// policy reads the policy and its flags; nil: the scope is to have none of its own.
func (o *bufferSetOptions) policy(typed string) (*musterv1.Buffer, error) {
	if typed == "inherit" || typed == "none" {
		return nil, nil
	}
	b, ok := readPolicy(typed)
	if !ok {
		return nil, usage("%.40q is no policy; write %s", typed, text.Or(slices.Concat([]string{keptShare}, policyWords(), []string{"inherit"})))
	}
	for _, one := range []struct {
		name, text string
		to         **float64
	}{{"confidence", o.confidence, &b.Confidence}, {"floor", o.floor, &b.Floor}, {"ceiling", o.ceiling, &b.Ceiling}} {
		if one.text == "" {
			continue
		}
		if !words.BufferLearns(b.GetKind()) {
			return nil, usage("--%s says something of %s policies; a %s one keeps back its share", one.name, words.LearningKinds(), b.GetKind())
		}
		x, ok := readShare(one.text)
		if !ok {
			return nil, usage("--%s %.40q; write a share, as in 99%% or 0.99", one.name, one.text)
		}
		*one.to = &x
	}
	return b, nil
}

// keptBack says what a policy keeps back, as it was asked for.
func keptBack(b *musterv1.Buffer) string {
	if b == nil {
		return " has no buffer policy of its own any more; the next wider one holds"
	}
	if !words.BufferLearns(b.GetKind()) {
		return " keeps back " + share(b.GetShare())
	}
	return " keeps back what the policy " + strings.ToLower(b.GetKind()) + " asks for"
}
