package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// steerOptions are those of what a person does to a cluster's life.
type steerOptions struct {
	*app
	writing
	m musterv1.SteerClusterRequest

	rendered []*musterv1.CheckinFile // what a check-in puts on the branch, before it is said
}

// send does it. Before a check-in is said, the files are asked for that belong to it.
func (o *steerOptions) send(ctx context.Context) (*musterv1.Written, error) {
	if o.m.GetDo() == "checkin" && o.dryRun {
		res, err := o.client().Buildout.GetCluster(ctx, &musterv1.GetClusterRequest{Cluster: o.m.GetCluster()})
		if err != nil {
			return nil, err
		}
		o.rendered = res.GetFiles()
	}
	o.m.Write = o.writing.message()
	res, err := o.client().Buildout.SteerCluster(ctx, &o.m)
	return res.GetWritten(), err
}

// files shows the files of a check-in as they are to stand on the branch.
func (o *steerOptions) files(p *page) {
	for _, f := range o.rendered {
		p.say("")
		p.say("%s on the branch that counts:", f.GetPath())
		for line := range strings.Lines(f.GetText()) {
			p.say("  %s", strings.TrimRight(line, "\n"))
		}
	}
}

// steers are the verbs: what each does, and what is said then.
var steers = []struct{ do, short, said string }{
	{"checkin", "say that a cluster is checked in", "is checked in"},
	{"quota", "say that a cluster's cores are there, where no cloud counts them", "has its cores"},
	{"hold", "hold the building of a cluster: nothing new is begun for it", "is held"},
	{"go", "let the building of a held cluster go on", "goes on"},
	{"retry", "try a step again now, whatever it waits for", "tries again"},
	{"unblock", "let an operation go on that waits for a person", "is unblocked"},
	{"retire", "retire a cluster in which no quota is assigned", "is being retired"},
}

func newClusterSteers(a *app) (list []*cobra.Command) {
	for _, s := range steers {
		list = append(list, newClusterSteer(a, s.do, s.short, s.said))
	}
	return list
}

func newClusterSteer(a *app, do, short, said string) *cobra.Command {
	o := &steerOptions{app: a}
	confirm := ""
	cmd := &cobra.Command{
		Use: do + " CLUSTER", Short: short, Example: "  muster cluster " + do + " lynx --dry-run",
		Args: needs(1, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.m.Cluster, o.m.Do = args[0], do
			if confirm != "" {
				o.m.Do, o.m.With, said = "confirm", confirm, "loses its infrastructure"
			}
			return o.writeAnd(cmd.Context(), o.send, "cluster "+args[0]+" "+said, o.files, "muster cluster why "+args[0]+" says what it waits for.")
		},
	}
	o.writing.flags(cmd)
	switch do {
	case "checkin":
		cmd.Flags().StringVar(&o.m.With, "commit", "", "the commit on the branch that counts")
	case "retry", "unblock":
		cmd.Flags().StringVar(&o.m.Step, "step", "", "only this step: quota, checkin, pipeline, scaleSets, join, validation, services, teardown")
	case "retire":
		cmd.Flags().StringVar(&confirm, "confirm", "", "the cluster's name once more: its infrastructure goes, once its work has ended")
	}
	return cmd
}
