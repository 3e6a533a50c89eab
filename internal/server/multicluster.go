package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/server/lategc"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// multiClusterMark is the mark of a data folder that holds the fleet of a multiCluster. It is no name of a cluster.
const multiClusterMark = "several clusters"

// multiCluster is the reconcilers of any number of clusters: those whose agents dial in, and those that the server
// reaches by itself.
type multiCluster struct {
	server *server
	hub    *link.Hub // nil: no agent may dial in
	own    map[string]*kube.Client

	mu        sync.Mutex
	ctx       context.Context // of what runs; nil before
	end       func(error)
	all       sync.WaitGroup
	kept      map[string]*keptCluster
	quiets    map[string]time.Time // clusters that no agent looks at, and since when
	byCluster sync.Map             // *kube.Reconciler by cluster
}

// keptCluster is a cluster that is looked at.
type keptCluster struct {
	join   joinOptions
	client *kube.Client
	stop   context.CancelFunc
	done   chan struct{}
}

// multiClusterBackend is the backend of a server that --agents or --clusters start.
func (s *server) multiClusterBackend() (*backend, error) {
	all, err := s.newMultiCluster()
	if err != nil {
		return nil, err
	}
	return &backend{log: s.log, reconcilers: all}, nil
}

// newMultiCluster connects to the clusters that the server reaches by itself, and lets agents of the others in.
func (s *server) newMultiCluster() (*multiCluster, error) {
	lategc.Collect(watcherGarbage, smallHeap)
	klog.SetSlogLogger(s.log) // what the client's own machinery says
	c := &multiCluster{server: s, own: map[string]*kube.Client{}, kept: map[string]*keptCluster{}, quiets: map[string]time.Time{}}
	for _, join := range s.Clusters {
		client, err := s.connect(join)
		if err != nil {
			return nil, cli.Malformed(fmt.Errorf("cluster %s: %w", join.Name, err))
		}
		c.own[join.Name] = client
		if _, err := c.figures(join); err != nil {
			return nil, cli.Malformed(fmt.Errorf("cluster %s: %w", join.Name, err))
		}
	}
	if s.Agents == "" {
		return c, nil
	}
	trust, err := s.trust()
	if err != nil {
		return nil, cli.Malformed(fmt.Errorf("certificates of agents: %w", err))
	}
	c.hub = &link.Hub{Trust: trust, Log: s.log, Check: c.check, Joined: c.joined, Note: s.noteAgent}
	if s.sharing != nil { // other servers have the same log
		c.hub.Term, c.hub.Keep = func() int64 { return s.leadership.Term() }, s.sharing.Sync
	}
	return c, nil
}

func (s *server) trust() (*link.Trust, error) {
	if s.AgentsTLS != "" {
		return link.ReadTrust(s.AgentsTLS, s.AgentsAllow)
	}
	authority, err := link.OpenAuthority(s.folder.File(datafolder.Agents))
	if err != nil {
		return nil, err
	}
	return authority.Trust()
}

// Invite says what there is, and what to do next.
func (c *multiCluster) Invite(nodes, live int) {
	s := c.server
	s.tell("Nodes: %d; workloads that have not ended: %d.", nodes, live)
	if s.agents != nil {
		s.tell("Agents of clusters dial in at %s. To let one in: muster agent enrol NAME --data %s", s.agents.Addr(), s.folder.Path)
	}
}

// Wake says that something was decided about a workload of a cluster.
func (c *multiCluster) Wake(cluster string) {
	if reconciler, ok := c.byCluster.Load(cluster); ok {
		reconciler.(*kube.Reconciler).Wake()
	}
}

// Run keeps all clusters and the state in step until ctx ends.
func (c *multiCluster) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.mu.Lock()
	c.ctx, c.end = ctx, stop
	c.mu.Unlock()
	for _, join := range c.server.Clusters {
		c.look(join, c.own[join.Name])
	}
	if c.hub != nil {
		c.all.Go(func() { c.hub.Lead(ctx) })
	}
	c.all.Go(func() { c.notice(ctx) })
	<-ctx.Done()
	c.all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Listen takes lines of agents until ctx ends, also while another server leads: they are there
// then when this one does.
func (c *multiCluster) Listen(ctx context.Context) error {
	if c.hub == nil {
		return nil
	}
	return c.hub.Serve(ctx, c.server.agents)
}

// check says whether an agent that has dialled in may stay.
func (c *multiCluster) check(h link.Hello) error {
	if c.own[h.Cluster] != nil {
		return fmt.Errorf("the server reaches cluster %s by a kubeconfig of its own", h.Cluster)
	}
	if _, follows := c.server.engine.Follows(); follows && !h.Several {
		return link.ErrFollows
	}
	return c.same(h)
}

// joined begins to look at the cluster of an agent that may stay.
func (c *multiCluster) joined(h link.Hello) {
	client, err := kube.Over(h.Cluster, kube.While(c.hub.Way(h.Cluster), c.server.drives))
	if err != nil {
		c.server.log.Error("the cluster cannot be looked at", "cluster", h.Cluster, "why", err)
		return
	}
	join := joinOptions{Name: h.Cluster, Manage: h.Manage, Kueue: h.Kueue, Quotas: h.Quotas, FenceAfter: h.FenceAfter}
	if h.Prometheus {
		join.Prometheus = agentsOwn
	}
	c.look(join, client)
}

// agentsOwn is said of the Prometheus of a cluster that only its agent reaches.
const agentsOwn = "the agent's"

// figures says what a cluster's GPUs do; nil where they are not measured.
func (c *multiCluster) figures(join joinOptions) (*dcgm.Client, error) {
	switch {
	case join.Prometheus == "":
		return nil, nil
	case c.own[join.Name] == nil:
		return dcgm.Over(join.Name, c.hub.Way(join.Name)), nil
	}
	return dcgm.New(join.Prometheus)
}

// same says whether a cluster is the one that it was: a certificate that a person
// has copied to another cluster would make all of the first one's nodes vanish.
func (c *multiCluster) same(h link.Hello) error {
	if h.UID == "" {
		return errors.New("its agent does not say which cluster it is on; let it read the namespace kube-system (rbac.yaml, muster-observe)")
	}
	file := filepath.Join(c.server.folder.File(datafolder.Agents), h.Cluster+".uid")
	was, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		return wholefile.WriteBytes(file, []byte(h.UID))
	case err != nil:
		return err
	case string(was) != h.UID:
		return fmt.Errorf("it is another cluster than the one that joined as %s (its namespace kube-system has the UID %.80s, and not %s); enrol it by a name of its own, or remove %s if the cluster was made anew", h.Cluster, h.UID, was, file)
	}
	return nil
}

// look begins to look at a cluster, where that is not done already, and in the same way.
func (c *multiCluster) look(join joinOptions, client *kube.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.kept[join.Name]
	if c.ctx == nil || c.ctx.Err() != nil || was != nil && was.join == join {
		return
	}
	ctx, stop := context.WithCancel(c.ctx)
	is := &keptCluster{join: join, client: client, stop: stop, done: make(chan struct{})}
	c.kept[join.Name] = is
	c.all.Go(func() {
		defer close(is.done)
		if was != nil { // one at a time
			was.stop()
			<-was.done
		}
		if err := c.run(ctx, join, client); err != nil && ctx.Err() == nil {
			c.end(err)
		}
	})
}

// byAgent is the client of a cluster whose agent has dialled in with mode manage; nil: none has.
func (c *multiCluster) byAgent(cluster string) *kube.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if is := c.kept[cluster]; is != nil && is.join.Manage {
		return is.client
	}
	return nil
}

// built waits until a cluster that is being built is in production: only then do its nodes count,
// all at once. One that was not planned need not wait.
func (c *multiCluster) built(ctx context.Context, cluster string) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for c.building(cluster) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// building says whether a cluster is planned, and not in production yet.
func (c *multiCluster) building(cluster string) (is bool) {
	c.server.engine.Read(func(s *fleet.State) {
		l := s.Life(cluster)
		is = l != nil && l.Course.Produced == 0 && l.Course.Retired == 0 && s.Cluster(cluster) == nil
	})
	return is
}

// run keeps one cluster and the state in step.
func (c *multiCluster) run(ctx context.Context, join joinOptions, client *kube.Client) error {
	s := c.server
	usage, err := c.figures(join)
	if err == nil {
		err = c.built(ctx, join.Name)
	}
	if err != nil {
		return err
	}
	o := s.clusterOptions(join, usage)
	s.engine.Read(func(st *fleet.State) { o.Translate.Distinct = kube.Distinct(st, join.Name, true) })
	reconciler := kube.NewReconciler(client, kube.Scoped(kubeEngine{s}, join.Name), o)
	c.byCluster.Store(join.Name, reconciler)
	go func() {
		select {
		case <-ctx.Done():
		case <-reconciler.First():
			s.firstAnswer(" with cluster "+join.Name, reconciler.Problems())
		}
	}()
	err = reconciler.Run(ctx)
	if errors.Is(err, kube.ErrLostFleet) && s.records > 0 { // a fleet that has others goes on with them
		s.log.Error("nothing is done on this cluster", "cluster", join.Name, "why", err)
		return nil
	}
	return err
}

// WatchedOnly says how a cluster was joined that is watched only.
func (c *multiCluster) WatchedOnly(cluster string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	is := c.kept[cluster]
	if is == nil {
		return ""
	}
	return onlyWatch(is.join.Manage, "start its agent with --manage (mode: manage in the chart, or in the file of --clusters); until its mode is set nothing changes by that")
}

// noticeEvery is how often notice looks for clusters that have no agent.
const noticeEvery = 5 * time.Second

// Said is what the clusters themselves say of a workload.
func (c *multiCluster) Said(namespace, name, target string) (list []string) {
	c.byCluster.Range(func(_, reconciler any) bool {
		list = append(list, reconciler.(*kube.Reconciler).Said(namespace, name, target)...)
		return true
	})
	slices.Sort(list)
	return list
}

// notice says of clusters whose agents have not come since the server began that
// their reports have stopped.
func (c *multiCluster) notice(ctx context.Context) {
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, name := range c.silent(time.Now()) {
			r := core.Request{Command: core.StopReports{Cluster: name}, Actor: core.Reporter, Reason: "no agent of cluster " + name + " is connected"}
			if _, err := c.server.engine.Do(ctx, r); err != nil && ctx.Err() == nil {
				c.server.log.Warn("the silence could not be noted", "cluster", name, "why", err)
			}
		}
	}
}

// silent lists clusters that no agent looks at, for as long as makes reports stale.
func (c *multiCluster) silent(now time.Time) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server.engine.Read(func(s *fleet.State) {
		for _, is := range s.Clusters {
			if c.kept[is.Name] != nil || is.Stale {
				continue
			}
			if c.quiets[is.Name].IsZero() {
				c.quiets[is.Name] = now
			}
			if now.Sub(c.quiets[is.Name]) >= s.Policy.Silence() {
				names = append(names, is.Name)
			}
		}
	})
	return names
}
