package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/scenario"
	"github.com/muster-fleet/muster/internal/prove/stage"
	"github.com/muster-fleet/muster/internal/state/text"
)

// storyPatience is how long a cluster may take to come to rest after what happens in a
// story, and clearPatience to be empty again, though the command was interrupted.
const (
	storyPatience = 5 * time.Minute
	clearPatience = 6 * time.Minute
)

// storyOptions say on which Kubernetes cluster stories are told.
type storyOptions struct {
	Kubeconfig, Context string
	Anyway              bool // though it holds what no story has made
	Err                 io.Writer
}

// tellStories makes a cluster ready for stories.
func tellStories(ctx context.Context, o storyOptions) (scenario.Teller, error) {
	cluster := &stage.Cluster{Admin: o.Kubeconfig, Context: o.Context, Patience: storyPatience}
	if err := cluster.Open(); err != nil {
		return nil, Malformed(err)
	}
	others, err := cluster.Others(ctx)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 && !o.Anyway {
		const few = 5
		return nil, Malformed(fmt.Errorf("%s holds %s and pods that no story has made (%s): a story would take them for its own; use an empty control plane (make controlplane-up NODES=0), or --anyway",
			cluster.Server(), text.Count(len(others), "node"), strings.Join(others[:min(few, len(others))], ", ")))
	}
	if err := cluster.CheckGates(ctx); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(o.Err, "On %s: each story's nodes, namespaces and pods are made there, labelled muster.dev/story; nodes and pods go when it is told.\n", cluster.Server())
	return func(ctx context.Context, f *scenario.File) (scenario.Report, error) {
		return tellStory(ctx, cluster, f, o)
	}, nil
}

// tellStory tells one story, and leaves nothing of it behind.
func tellStory(ctx context.Context, cluster *stage.Cluster, f *scenario.File, o storyOptions) (report scenario.Report, err error) {
	if len(f.Fleet.Clusters) != 1 {
		return notHere(ctx, f, o, fmt.Sprintf("it has %s", text.Count(len(f.Fleet.Clusters), "cluster")))
	}
	var s *stage.Stage
	report, err = scenario.RunOn(ctx, f, func(set scenario.Setting) (scenario.Stage, error) {
		s, err = cluster.Stage(f.Fleet.Clusters[0].Name, set.Now, set.Runtime)
		return s, err
	})
	if s == nil {
		return report, err
	}
	clearing, stop := context.WithTimeout(context.WithoutCancel(ctx), clearPatience)
	defer stop()
	cleared := s.Clear(clearing)
	if errors.Is(err, stage.ErrUsers) && cleared == nil {
		return notHere(ctx, f, o, stage.ErrUsers.Error())
	}
	return report, errors.Join(err, cleared)
}

// notHere tells a story on the simulated cluster, and says so.
func notHere(ctx context.Context, f *scenario.File, o storyOptions, why string) (scenario.Report, error) {
	_, _ = fmt.Fprintf(o.Err, "%s: told on the simulated driver, since %s\n", f.Title, why)
	return scenario.Run(ctx, f)
}
