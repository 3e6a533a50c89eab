package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAgentsCarryEachDecisionOutOnce lets something befall the server that leads, again and again,
// while two agents carry out what is decided for their clusters, and workloads come, end and are
// cancelled there. Agents and servers are programs of their own, with real certificates; the
// clusters' API servers are stand-ins. No pod is started or stopped twice, none is started that the
// journal does not say, no server is obeyed after a newer one was heard, and in the end what the
// journal says runs. MUSTER_TAKEOVERS, MUSTER_SEED, MUSTER_STOPPED and MUSTER_FAULTS are as in
// TestAStandbyTakesOver.
func TestAgentsCarryEachDecisionOutOnce(t *testing.T) {
	times, seed := int(fromEnv(t, "MUSTER_TAKEOVERS", 1)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	faults := slices.DeleteFunc(slices.Clone(leaderFaults), func(f fault) bool {
		return f.replicas || !strings.Contains(f.name, os.Getenv("MUSTER_FAULTS"))
	})
	a := newAgentsPair(t)
	a.stopped = time.Duration(fromEnv(t, "MUSTER_STOPPED", 1)) * time.Second
	crowd := newCrowd(t, a.at[0], pairs, func(*persistent) {}, func(one *persistent) {
		one.transfers, one.several, one.client = true, true, a.both()
	})
	a.begin(seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range times {
		a.await(crowd, 20+rng.IntN(60), "the last fault")
		f, was := faults[n%len(faults)], a.leader()
		began := time.Now()
		f.befall(a.pair, was)
		for len(crowd.acks) > 0 {
			<-crowd.acks
		}
		a.await(crowd, pairs+1, f.name)
		decides, starts := time.Since(began), a.starts()
		a.until(f.name+": pods start again", func() bool { return a.starts() > starts })
		t.Logf("%3d of %d (seed %d): %s: a command acknowledged after %v, pods started after %v", n+1, times, seed, f.name, decides.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		f.end(a.pair, was)
	}
	crowd.finish()
	a.finish()
	acknowledged := crowd.verify(context.Background(), a.both())
	t.Logf("%d faults (seed %d): %d commands acknowledged, %d lost, %d done twice", times, seed, acknowledged, crowd.lost, crowd.twice)
	a.verify()
}

// agentsPair are two servers with two agents, and what those carry out.
type agentsPair struct {
	*pair
	clusters  []*standIn
	quit      chan struct{}
	life      sync.WaitGroup
	cancelled atomic.Int64
}

func newAgentsPair(t *testing.T) *agentsPair {
	a := &agentsPair{quit: make(chan struct{})}
	a.pair = newPair(t, false, func(p *pair) { p.agents = [2]string{freeAddress(t), freeAddress(t)} })
	for _, name := range []string{"lion", "puma"} {
		a.clusters = append(a.clusters, newStandIn(t, name))
		identity, kubeconfig := filepath.Join(t.TempDir(), name+".pem"), filepath.Join(t.TempDir(), "kubeconfig")
		if out, err := exec.CommandContext(t.Context(), "muster", "agent", "enrol", name, "--data", a.dirs[0], "--out", identity).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		a.alike(0, datafolder.Agents+"/"+name+".crt") // else it goes with the server that has it
		write(t, kubeconfig, a.clusters[len(a.clusters)-1].kubeconfig())
		a.agent(name, identity, kubeconfig)
	}
	return a
}

// agent starts the agent of a cluster, which knows both servers.
func (a *agentsPair) agent(name, identity, kubeconfig string) {
	a.t.Helper()
	cmd := exec.Command("muster", "agent", "--server", a.agents[0]+","+a.agents[1], "--identity", identity, "--kubeconfig", kubeconfig, "--name", name, "--manage", "--quotas", "none", "--log-level", "warn")
	words, err := os.Create(filepath.Join(a.t.TempDir(), name+".log"))
	if err != nil {
		a.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = words, words
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		if said, _ := os.ReadFile(words.Name()); a.t.Failed() {
			a.t.Logf("the agent of %s says: %s", name, said)
		}
		_ = words.Close()
	})
}

// both is a client that knows both servers.
func (a *agentsPair) both() *client.Client {
	return client.New(client.Options{Address: a.at[0] + "," + a.at[1]})
}

// begin lets the clusters live: pods are made and run, and people cancel some of the workloads.
func (a *agentsPair) begin(seed uint64) {
	for i, c := range a.clusters {
		a.life.Go(func() { a.live(c, rand.New(rand.NewPCG(seed, uint64(i+1)))) })
	}
	a.until("pods start on both clusters", func() bool {
		return !slices.ContainsFunc(a.clusters, func(c *standIn) bool { return len(c.runs()) == 0 })
	})
}

// live is the life of a cluster. Of its workloads every tenth runs for ever, until they take half of
// the nodes, and every fourth is cancelled some time after it was made.
func (a *agentsPair) live(c *standIn, rng *rand.Rand) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-a.quit:
			return
		case <-tick.C:
		}
		if c.live(); n%8 > 0 {
			continue
		}
		made := n / 8
		lives := time.Duration(300+rng.IntN(2000)) * time.Millisecond
		if made%10 == 0 && made < 10*standInNodes/2 {
			lives = 0
		}
		name := fmt.Sprint("w", made)
		if c.gang(name, 2, made%2 == 1, lives); made%4 == 3 {
			after := time.Duration(100+rng.IntN(2000)) * time.Millisecond
			a.life.Go(func() { a.cancel("oak@"+c.name, name, after) })
		}
	}
}

// cancel takes a workload back after a while. It may have ended by then, or not be known yet.
func (a *agentsPair) cancel(namespace, name string, after time.Duration) {
	time.Sleep(after)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, err := a.both().Workloads.Cancel(ctx, &musterv1.CancelRequest{Write: &musterv1.Write{IdempotencyKey: namespace + name}, Namespace: namespace, Name: name})
	switch {
	case err == nil:
		a.cancelled.Add(1)
	case asRefusal(err) == nil:
		a.t.Errorf("the cancellation of %s/%s: %v", namespace, name, err)
	}
}

// finish makes no more workloads, and waits until the journal and the clusters say the same.
func (a *agentsPair) finish() {
	close(a.quit)
	a.life.Wait()
	a.until("what the journal says runs, and nothing else does", func() bool {
		runs := map[string][]string{}
		for _, c := range a.clusters {
			c.live()
			maps.Copy(runs, c.runs())
		}
		said := a.said()
		return said != nil && maps.EqualFunc(runs, said, slices.Equal[[]string])
	})
}

// said is what the server that leads says of what runs; nil: something is on its way.
func (a *agentsPair) said() map[string][]string {
	res, err := a.both().Workloads.ListWorkloads(a.t.Context(), &musterv1.ListWorkloadsRequest{Limit: 10000})
	if err != nil {
		return nil
	}
	said := map[string][]string{}
	for _, w := range res.GetWorkloads() {
		if w.GetState() != "running" {
			return nil
		}
		said[w.GetSpec().GetNamespace()+"/"+w.GetSpec().GetName()] = slices.Sorted(slices.Values(w.GetNodes()))
	}
	return said
}

// starts is how many pods were started.
func (a *agentsPair) starts() (n int) {
	for _, c := range a.clusters {
		c.mu.Lock()
		for _, is := range c.pods {
			n += is.started
		}
		c.mu.Unlock()
	}
	return n
}

// until waits as long as pods start: after many faults a queue may have grown that is worked off.
func (a *agentsPair) until(what string, is func() bool) {
	a.t.Helper()
	last, end := a.starts(), time.Now().Add(time.Minute)
	for ; !is(); time.Sleep(20 * time.Millisecond) {
		if n := a.starts(); n != last {
			last, end = n, time.Now().Add(time.Minute)
		}
		if time.Now().After(end) {
			for _, c := range a.clusters {
				a.t.Logf("%s runs %v", c.name, c.runs())
			}
			a.t.Fatalf("it is still not so: %s; the journal says that these run: %v; the servers say:\n%s\n\n%s", what, a.said(), a.pair.said(0), a.pair.said(1))
		}
	}
}

// placing is what the journal says of one start.
type placing struct {
	nodes []string
	term  int64
}

// placings are, by workload, where the journal says that it was started, and in which term that was
// decided.
func (a *agentsPair) placings() map[string][]placing {
	a.t.Helper()
	terms := a.terms()
	names, nodes, list := map[uint64]string{}, map[string][]string{}, map[string][]placing{}
	c := a.both()
	for from := uint64(1); from > 0; {
		res, err := c.Events.ListEvents(a.t.Context(), &musterv1.ListEventsRequest{From: from, Limit: 10000})
		if err != nil {
			a.t.Fatal(err)
		}
		for _, r := range res.GetRecords() {
			for _, e := range r.GetEvents() {
				var is struct {
					ID        uint64
					Partition string
					Names     []string
					Spots     []fleet.Spot
					Spec      struct{ Name, Namespace string }
				}
				if kind := e.GetKind(); kind != "nodes.added" && kind != "workload.submitted" && kind != "replicas.placed" {
					continue
				}
				if err := json.Unmarshal([]byte(e.GetData()), &is); err != nil {
					a.t.Fatal(err)
				}
				switch e.GetKind() {
				case "nodes.added":
					nodes[is.Partition] = append(nodes[is.Partition], is.Names...)
				case "workload.submitted":
					names[is.ID] = is.Spec.Namespace + "/" + is.Spec.Name
				case "replicas.placed":
					at := placing{term: terms[r.GetSeq()]}
					for _, s := range is.Spots {
						for _, n := range s.Nodes {
							at.nodes = append(at.nodes, nodes[is.Partition][n])
						}
					}
					list[names[is.ID]] = append(list[names[is.ID]], at)
				}
			}
		}
		from = res.GetNext()
	}
	return list
}

// terms are in which term each record was written.
func (a *agentsPair) terms() map[uint64]int64 {
	a.t.Helper()
	db, err := pgx.Connect(a.t.Context(), a.databases[0].Address())
	if err != nil {
		a.t.Fatal(err)
	}
	defer db.Close(context.Background())
	rows, err := db.Query(a.t.Context(), "SELECT seq, term FROM muster.entry")
	if err != nil {
		a.t.Fatal(err)
	}
	terms := map[uint64]int64{}
	var seq, term int64
	if _, err := pgx.ForEachRow(rows, []any{&seq, &term}, func() error { terms[uint64(seq)] = term; return nil }); err != nil {
		a.t.Fatal(err)
	}
	return terms
}

// verify holds what was carried out against the journal.
func (a *agentsPair) verify() {
	list := a.placings()
	for _, c := range a.clusters {
		a.verifyCluster(c, list)
	}
	a.t.Logf("%d workloads were cancelled by people", a.cancelled.Load())
}

// verifyCluster is that of one cluster, whose agent still runs, and may still call.
func (a *agentsPair) verifyCluster(c *standIn, list map[string][]placing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	started, stopped, never := 0, 0, 0
	for uid, is := range c.pods {
		started, stopped = started+is.started, stopped+is.stopped
		if is.started > 1 || is.stopped > 1 {
			a.t.Errorf("pod %s of %s was started %d times and stopped %d times", uid, is.workload, is.started, is.stopped)
		}
		if is.started == 0 {
			never++
			continue
		}
		if !take(list[is.workload], is.node+"@"+c.name, is.term) {
			a.t.Errorf("pod %s of %s was started on %s in term %d; of that the journal says %v", uid, is.workload, is.node, is.term, list[is.workload])
		}
	}
	if c.old > 0 || len(c.strange) > 0 {
		a.t.Errorf("%s: %d calls of a server came after one of a newer term; and there were %d strange ones: %.2000q", c.name, c.old, len(c.strange), c.strange)
	}
	a.t.Logf("%s: %d pods made, %d started, %d stopped, each once; %d never started; %d starts and stops asked for again led to nothing; the last term is %d",
		c.name, c.made, started, stopped, never, c.again, c.term)
}

// take finds a node among what was placed in a term or before, and takes it away: it is for one
// start.
func take(list []placing, node string, term int64) bool {
	for i := range list {
		if k := slices.Index(list[i].nodes, node); k >= 0 && list[i].term <= term {
			list[i].nodes = slices.Delete(list[i].nodes, k, k+1)
			return true
		}
	}
	return false
}
