package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/executor/scheduledevents"
)

// speakForNode shows what is scheduled for a node's machine until ctx ends.
func (o *agentCommand) speakForNode(ctx context.Context) error {
	if o.observe || o.Manage || o.Kueue || o.Identity != "" {
		return cli.Usage("--node speaks for one node and dials no server; leave out --observe, --kueue, --manage and --identity")
	}
	if err := checkLogLevel(o.LogLevel); err != nil {
		return err
	}
	client, err := kube.Connect(o.Kubeconfig, o.Context)
	if err != nil {
		return cli.Malformed(err)
	}
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.LogLevel))
	agent := &kube.NodeAgent{
		Node: o.Node, Client: client, Events: scheduledevents.New(o.Metadata), Now: time.Now,
		Log: slog.New(slog.NewTextHandler(o.Env.Err, &slog.HandlerOptions{Level: level})),
	}
	return agent.Run(ctx)
}
