package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/server/lategc"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// singleCluster is the reconciler of the one cluster that muster join names.
type singleCluster struct {
	server *server
	client *kube.Client
}

// singleClusterBackend is the backend of a server that muster join starts.
func (s *server) singleClusterBackend() (*backend, error) {
	one, err := s.newSingleCluster()
	if err != nil {
		return nil, err
	}
	return &backend{log: s.log, reconcilers: one}, nil
}

func (s *server) newSingleCluster() (*singleCluster, error) {
	lategc.Collect(watcherGarbage, smallHeap)
	klog.SetSlogLogger(s.log) // what the client's own machinery says
	client, err := s.connect(*s.Join)
	if err != nil {
		return nil, cli.Malformed(err)
	}
	return &singleCluster{server: s, client: client}, nil
}

// connect reaches a cluster by a kubeconfig.
func (s *server) connect(join joinOptions) (*kube.Client, error) {
	if !join.Manage && !join.Kueue {
		return kube.ConnectReading(join.Kubeconfig, join.Context)
	}
	return kube.ConnectWhile(join.Kubeconfig, join.Context, s.drives)
}

// kubeEngine is the engine as a cluster's reconciler asks for it.
type kubeEngine struct{ *server }

func (e kubeEngine) Do(ctx context.Context, r core.Request) ([]*core.Refusal, error) {
	r.Actor.ByList = e.peopleSignIn()
	is, err := patiently(ctx, func() (engine.Result, error) { return e.engine.Do(ctx, r) })
	return is.Refused, err
}

func (e kubeEngine) Read(look func(*fleet.State))  { e.engine.Read(look) }
func (e kubeEngine) Study(look func(*fleet.State)) { e.engine.Study(look) }

// Wake says that something was decided about a workload of the cluster.
func (j *singleCluster) Wake(string) {
	if reconciler := j.server.reconciler.Load(); reconciler != nil {
		reconciler.Wake()
	}
}

// clusterOptions say how a cluster is joined.
func (s *server) clusterOptions(join joinOptions, usage *dcgm.Client) kube.Options {
	mode := fleet.Observe
	if join.Manage {
		mode = fleet.Enforce
	}
	return kube.Options{
		Translate: translate.Defaults(join.Name), Mode: mode, Quotas: join.Quotas, Kueue: join.Kueue, ByList: s.peopleSignIn(),
		Usage: usage, FenceAfter: join.FenceAfter, Log: s.log, NewFleet: s.NewFleet,
	}
}

// Run keeps the cluster and the state in step until ctx ends.
func (j *singleCluster) Run(ctx context.Context) error {
	s := j.server
	var usage *dcgm.Client
	if at := s.Join.Prometheus; at != "" {
		var err error
		if usage, err = dcgm.New(at); err != nil {
			return cli.Malformed(err)
		}
	}
	reconciler := kube.NewReconciler(j.client, kubeEngine{s}, s.clusterOptions(*s.Join, usage))
	s.reconciler.Store(reconciler)
	go func() {
		select {
		case <-ctx.Done():
		case <-reconciler.First():
			s.firstAnswer("", reconciler.Problems())
		}
	}()
	return reconciler.Run(ctx)
}

// Listen takes no lines: the server reaches the cluster itself.
func (*singleCluster) Listen(context.Context) error { return nil }

// Said is what the cluster itself says of a workload.
func (j *singleCluster) Said(namespace, name, target string) []string {
	if reconciler := j.server.reconciler.Load(); reconciler != nil {
		return reconciler.Said(namespace, name, target)
	}
	return nil
}

// WatchedOnly says how the cluster was joined, where it is watched only.
func (j *singleCluster) WatchedOnly(cluster string) string {
	if cluster != j.server.Join.Name {
		return ""
	}
	return onlyWatch(j.server.Join.Manage, "start the server again with muster join --manage and the same --data; until its mode is set nothing changes by that")
}

// Invite says nothing: the cluster itself says what there is, in a moment.
func (*singleCluster) Invite(int, int) {}

// said is what the clusters themselves say of a workload.
func (s *server) said(namespace, name, target string) []string {
	if s.backend.reconcilers == nil {
		return nil
	}
	return s.backend.reconcilers.Said(namespace, name, target)
}

// firstAnswer says what the cluster can muster, as soon as that is known.
func (s *server) firstAnswer(of string, problems []translate.Problem) {
	var text string
	s.engine.Read(func(st *fleet.State) { text = summary(st.Fork()) })
	s.tell("\nThe first full answer%s, after %.1f s:\n%s", of, time.Since(s.began).Seconds(), text)
	if n := len(problems); n > 0 {
		s.tell("\nNot understood, or left out: %d. The first is %s", n, problems[0])
	}
	s.tell("\nIn another terminal: muster capacity, muster get quotas, muster why NAMESPACE/NAME")
}

// gangsUnbacked says how many grants cannot be used in one piece; "" for none.
func gangsUnbacked(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; grants that cannot be used in one piece: %d", n)
}

// summary is a fleet in a few lines.
func summary(s *fleet.State) string {
	var b strings.Builder
	for _, p := range view.CapacityOf(s).Partitions {
		fmt.Fprintf(&b, "  %s: %d GPUs installed, %d healthy, %d promisable; %d assigned, %d of them not backed; %d in quota use, %d on flex%s\n",
			p.Partition, p.Installed, p.Healthy, p.Promisable, p.Assigned, p.Unbacked, p.Scheduled+p.Borrowed+p.Over, p.FlexUsed, gangsUnbacked(p.GangsUnbacked))
	}
	reasons := map[string]int{}
	waiting := 0
	for _, w := range s.Workloads {
		if w.State != fleet.Pending {
			continue
		}
		waiting++
		reasons[wouldBe(s, explain.Why(s, w, s.Time))]++
	}
	fmt.Fprintf(&b, "  workloads that wait: %d", waiting)
	for _, code := range sortedCodes(reasons) {
		fmt.Fprintf(&b, "; %s %d", code, reasons[code])
	}
	return b.String()
}

// wouldBe is the reason of a workload that waits, as it would be if Muster decided
// there: that a cluster is only watched is what was asked for, and no news.
func wouldBe(s *fleet.State, list []explain.Blocker) string {
	for _, b := range list {
		if b.Code != reason.ClusterNotReady || slices.ContainsFunc(b.Culprits, func(name string) bool { return s.Cluster(name) == nil || s.Cluster(name).Stale }) {
			return string(b.Code)
		}
	}
	return "would start"
}

func sortedCodes(m map[string]int) []string {
	codes := make([]string, 0, len(m))
	for code := range m {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}
