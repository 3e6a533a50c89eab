package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

func newBlueprint(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "blueprint", Aliases: []string{"blueprints"}, Short: "how clusters of a kind are built: add, list, show, diff"}
	return group(cmd, newBlueprintAdd(a), newBlueprintList(a), newBlueprintShow(a), newBlueprintDiff(a))
}

// blueprintOptions are those of `muster blueprint add`.
type blueprintOptions struct {
	*app
	writing
}

func newBlueprintAdd(a *app) *cobra.Command {
	o := &blueprintOptions{app: a}
	cmd := &cobra.Command{
		Use: "add FILE", Short: "add a version of a blueprint from a YAML file",
		Long: `Add reads a blueprint, checks it and keeps it. A version never changes; clusters keep the version that they
began with. The file:

  name: nd
  version: 1
  meters: [{meter: nd-h200, perNode: 96}, {meter: cores, perNode: 96}]   # cores of each cloud quota that a node takes
  requestQuota: false        # ask the cloud for cores that are missing
  checkin: person            # person, git or inventory
  ready: 0.95                # share of each island's nodes that must be ready
  takes: {pipeline: 40m, scaleSets: 20m, join: 10m, validation: 1h, services: 5m}
  mode: shadow               # in production: observe, shadow or enforce
  parallel: false            # scale sets need not wait for the pipeline
  projects: [dns]
  services: [DaemonSet gpu/driver]`,
		Example: "  muster blueprint add nd.yaml --dry-run",
		Args:    needs(1, 1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := readBlueprint(args[0])
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Buildout.AddBlueprint(ctx, &musterv1.AddBlueprintRequest{Write: o.writing.message(), Blueprint: b})
				return res.GetWritten(), err
			}, fmt.Sprintf("blueprint %s version %d added", b.GetName(), b.GetVersion()))
		},
	}
	o.writing.flags(cmd)
	return cmd
}

// readBlueprint reads a blueprint's file.
func readBlueprint(path string) (*musterv1.Blueprint, error) {
	data, err := yamlfile.ReadFile(path)
	if err != nil {
		return nil, Malformed(err)
	}
	doc, top := yamlfile.Open(path, data)
	f := top.Fields("name", "version", "meters", "checkin", "projects", "services", "ready", "takes", "mode", "parallel", "requestQuota", "runner")
	b := &musterv1.Blueprint{
		Name: f.Need("name").Name(), Version: int32(f.At("version").IntOr(1, 1, 1_000_000)), Checkin: f.Need("checkin").Word("person", "git", "inventory"),
		Projects: f.At("projects").Texts(), Services: f.At("services").Texts(), Parallel: f.At("parallel").Bool(), RequestQuota: f.At("requestQuota").Bool(),
		Runner: f.At("runner").Text(), Takes: map[string]*durationpb.Duration{},
	}
	for _, m := range f.Need("meters").List() {
		of := m.Fields("meter", "perNode")
		b.Meters = append(b.Meters, &musterv1.Meter{Meter: of.Need("meter").Name(), PerNode: int32(of.Need("perNode").Int(1, 100_000))})
	}
	if f.Has("ready") {
		b.Ready = wire.Share(f.At("ready").Share())
	}
	if f.Has("mode") {
		b.Mode = f.At("mode").Word("observe", "shadow", "enforce")
	}
	for _, e := range f.At("takes").Entries() {
		b.Takes[e.Key] = durationpb.New(e.Value.Duration())
	}
	return b, Malformed(doc.Err())
}

// blueprintListOptions are those of `muster blueprint list`.
type blueprintListOptions struct {
	*app
	reading
}

func newBlueprintList(a *app) *cobra.Command {
	o := &blueprintListOptions{app: a}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "every version of every blueprint",
		Example: "  muster blueprint list", Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.read(cmd.Context(), &o.reading, o.ask) },
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *blueprintListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Buildout.ListBlueprints(ctx, &musterv1.ListBlueprintsRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	t := newTable("There is no blueprint: muster blueprint add reads one from a file.", column{head: "BLUEPRINT"}, column{head: "VERSION", right: true},
		column{head: "CHECK-IN"}, column{head: "MODE"}, column{head: "METERS"}, column{head: "TAKES"})
	for _, b := range res.GetBlueprints() {
		var meters []string
		for _, m := range b.GetMeters() {
			meters = append(meters, m.GetMeter())
		}
		var takes time.Duration
		for _, d := range b.GetTakes() {
			takes += d.AsDuration()
		}
		t.add(b.GetName(), b.GetVersion(), b.GetCheckin(), b.GetMode(), strings.Join(meters, ", "), takes.String())
	}
	return answer{message: res, table: t}, nil
}
