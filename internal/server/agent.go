package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/klog/v2"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// runAgent runs the agent of a cluster until ctx ends.
func runAgent(ctx context.Context, o agentOptions) error {
	cluster, err := link.ClusterOf(o.Identity)
	if err != nil {
		return cli.Malformed(fmt.Errorf("--identity: %w", err))
	}
	if o.Name != "" && o.Name != cluster {
		return cli.Malformed(fmt.Errorf("--identity %s is for cluster %s, and --name says %s", o.Identity, cluster, o.Name))
	}
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.LogLevel)) // it was checked where it was read
	log := slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: level}))
	klog.SetSlogLogger(log)
	door, err := kube.NewAPIProxy(o.Kubeconfig, o.Context, kube.Mode{Manage: o.Manage, Kueue: o.Kueue, Fence: o.FenceAfter > 0})
	if err != nil {
		return cli.Malformed(err)
	}
	answers, err := withFigures(door, o.Prometheus)
	if err != nil {
		return cli.Malformed(err)
	}
	agent := &link.Agent{Server: o.Server, Identity: o.Identity, Handler: answers, Log: log, Hello: func(ctx context.Context) link.Hello {
		return link.Hello{
			Cluster: cluster, Version: version(), Manage: o.Manage, Kueue: o.Kueue, Quotas: o.Quotas, UID: door.UID(ctx),
			FenceAfter: o.FenceAfter, Prometheus: o.Prometheus != "",
		}
	}}
	log.Info("the agent begins", "cluster", cluster, "apiServer", door.Server(), "server", o.Server, "manage", o.Manage, "kueue", o.Kueue)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	if o.Health != "" {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Health)
		if err != nil {
			return cli.Malformed(fmt.Errorf("--health: %w", err))
		}
		all.Go(func() { stop(serveHealth(ctx, l, agent, door)) })
	}
	if err := agent.Run(ctx); err != nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// withFigures lets the server ask the cluster's API server and, where there is one, its Prometheus.
func withFigures(door http.Handler, prometheus string) (http.Handler, error) {
	if prometheus == "" {
		return door, nil
	}
	figures, err := dcgm.NewProxy(prometheus)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, dcgm.Path+"/") {
			figures.ServeHTTP(w, r)
			return
		}
		door.ServeHTTP(w, r)
	}), nil
}

// enrol lets the agents of a cluster in.
func enrol(data string, o enrolOptions) (link.Identity, error) {
	a, err := link.OpenAuthority(filepath.Join(data, datafolder.Agents))
	if err != nil {
		return link.Identity{}, err
	}
	return a.Enrol(o.Cluster, o.Holds, o.Only)
}

// revoke lets none of them in any more.
func revoke(data, cluster string) error {
	if _, err := os.Stat(filepath.Join(data, datafolder.Agents)); err != nil {
		return cli.Malformed(fmt.Errorf("data folder %s has enrolled no agent", data))
	}
	a, err := link.OpenAuthority(filepath.Join(data, datafolder.Agents))
	if err != nil {
		return err
	}
	return cli.Malformed(a.Revoke(cluster))
}
