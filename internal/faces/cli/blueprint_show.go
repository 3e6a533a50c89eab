package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// blueprintShowOptions are those of `muster blueprint show` and `muster blueprint diff`.
type blueprintShowOptions struct {
	*app
	reading
	name     string
	versions []int32 // none: the newest
}

func newBlueprintShow(a *app) *cobra.Command {
	o := &blueprintShowOptions{app: a}
	cmd := &cobra.Command{
		Use: "show BLUEPRINT [VERSION]", Short: "a version of a blueprint, as muster blueprint add reads it; without a number the newest",
		Example: "  muster blueprint show nd > nd.yaml",
		Args:    needs(1, 2, "the name of a blueprint, and the number of a version"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args, o.one) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func newBlueprintDiff(a *app) *cobra.Command {
	o := &blueprintShowOptions{app: a}
	cmd := &cobra.Command{
		Use: "diff BLUEPRINT VERSION [VERSION]", Short: "what differs between two versions of a blueprint; without a second number the newest",
		Example: "  muster blueprint diff nd 1 2",
		Args:    needs(2, 3, "the name of a blueprint, and the numbers of two versions"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args, o.two) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *blueprintShowOptions) run(ctx context.Context, args []string, ask func(context.Context) (answer, error)) error {
	o.name = args[0]
	for _, arg := range args[1:] {
		n, err := strconv.ParseInt(arg, 10, 32)
		if err != nil || n < 1 {
			return usage("version %q is no number of a version; muster blueprint list shows them", arg)
		}
		o.versions = append(o.versions, int32(n))
	}
	return o.read(ctx, &o.reading, ask)
}

func (o *blueprintShowOptions) one(ctx context.Context) (answer, error) {
	list, err := o.picked(ctx, 1)
	if err != nil {
		return answer{}, err
	}
	b := list[0]
	return answer{message: b, lead: func(p *page) {
		for _, f := range blueprintFields(b) {
			_, _ = fmt.Fprintf(p, "%s: %s\n", f.name, f.text)
		}
	}}, nil
}

// blueprintDifference is a field that is another one in two versions.
type blueprintDifference struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

func (o *blueprintShowOptions) two(ctx context.Context) (answer, error) {
	both, err := o.picked(ctx, 2)
	if err != nil {
		return answer{}, err
	}
	a, b := both[0], both[1]
	from, to := fmt.Sprintf("VERSION %d", a.GetVersion()), fmt.Sprintf("VERSION %d", b.GetVersion())
	t := newTable(fmt.Sprintf("Versions %d and %d of blueprint %s say the same.", a.GetVersion(), b.GetVersion(), o.name),
		column{head: "FIELD"}, column{head: from, folds: true}, column{head: to, folds: true})
	list := []blueprintDifference{}
	old := blueprintFields(a)
	for i, f := range blueprintFields(b) {
		if f.name != "version" && f.text != old[i].text {
			list = append(list, blueprintDifference{f.name, old[i].text, f.text})
			t.add(f.name, old[i].text, f.text)
		}
	}
	return answer{value: list, table: t}, nil
}

// picked are so many versions, as they were named.
func (o *blueprintShowOptions) picked(ctx context.Context, n int) (list []*musterv1.Blueprint, err error) {
	res, err := o.client().Buildout.ListBlueprints(ctx, &musterv1.ListBlueprintsRequest{AsOf: o.asOf.message()})
	for at := 0; at < n && err == nil; at++ {
		var b *musterv1.Blueprint
		b, err = o.version(res.GetBlueprints(), at)
		list = append(list, b)
	}
	return list, err
}

// version is the version that was named at a place, or else the newest.
func (o *blueprintShowOptions) version(all []*musterv1.Blueprint, at int) (*musterv1.Blueprint, error) {
	var found *musterv1.Blueprint
	for _, b := range all {
		named := at < len(o.versions) && b.GetVersion() == o.versions[at] || at >= len(o.versions) && b.GetVersion() >= found.GetVersion()
		if b.GetName() == o.name && named {
			found = b
		}
	}
	switch {
	case found != nil:
		return found, nil
	case at < len(o.versions):
		return nil, fmt.Errorf("there is no version %d of blueprint %s; muster blueprint list shows them", o.versions[at], o.name)
	}
	return nil, fmt.Errorf("there is no blueprint %s; muster blueprint list shows them", o.name)
}

// blueprintField is one line of a blueprint's file.
type blueprintField struct{ name, text string }

// blueprintFields are all fields of a blueprint, always in the same order.
func blueprintFields(b *musterv1.Blueprint) []blueprintField {
	var meters, takes []string
	for _, m := range b.GetMeters() {
		meters = append(meters, fmt.Sprintf("{meter: %s, perNode: %d}", m.GetMeter(), m.GetPerNode()))
	}
	for _, step := range slices.Sorted(maps.Keys(b.GetTakes())) {
		takes = append(takes, step+": "+b.GetTakes()[step].AsDuration().String())
	}
	return []blueprintField{
		{"name", b.GetName()},
		{"version", fmt.Sprint(b.GetVersion())},
		{"meters", "[" + strings.Join(meters, ", ") + "]"},
		{"requestQuota", fmt.Sprint(b.GetRequestQuota())},
		{"checkin", b.GetCheckin()},
		{"ready", strconv.FormatFloat(b.GetReady(), 'f', -1, 64)},
		{"takes", "{" + strings.Join(takes, ", ") + "}"},
		{"mode", b.GetMode()},
		{"parallel", fmt.Sprint(b.GetParallel())},
		{"runner", strconv.Quote(b.GetRunner())},
		{"projects", quoteAll(b.GetProjects())},
		{"services", quoteAll(b.GetServices())},
	}
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
