package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
)

// pair are servers on one database, of which one leads. The database may have a replica.
type pair struct {
	t         *testing.T
	databases [2]*pgtest.Server // the one that writes and its replica; the second is nil where there is none
	cables    [2][2]*cable      // from each server to each database
	fleet     string
	dirs      [2]string
	at        [2]string
	cmd       [2]*exec.Cmd
	agents    [2]string     // where agents dial in; "": nowhere, the clusters are simulated
	stopped   time.Duration // how long one that is stopped stays so
	more      []string      // arguments of both
}

func newPair(t *testing.T, replicated bool, prepare ...func(*pair)) *pair {
	p := &pair{t: t, fleet: filepath.Join(t.TempDir(), "fleet.yaml")}
	for _, fn := range prepare {
		fn(p)
	}
	write(t, p.fleet, crowdsFleet(crowded))
	p.databases[0] = pgtest.Start(t, "fsync = off")
	if replicated {
		p.databases[1] = p.databases[0].Replicate()
	}
	for i := range p.at {
		for k, d := range p.databases {
			if d != nil {
				p.cables[i][k] = newCable(t, d.Host())
			}
		}
		p.dirs[i], p.at[i] = t.TempDir(), freeAddress(t)
		p.start(i)
		t.Cleanup(func() { _ = p.cmd[i].Process.Kill(); _ = p.cmd[i].Wait() })
	}
	return p
}

// crowded is how many clients there are at most.
const crowded = 64

// crowdsFleet is a fleet with a pair of quotas for each client; see newVictim.
func crowdsFleet(clients int) string {
	var quotas strings.Builder
	for i := range clients {
		fmt.Fprintf(&quotas, "  - {path: p%d/from, grants: [{partition: tiger/h200, gpus: 4000}]}\n  - {path: p%d/to}\n", i, i)
	}
	return "policy: {buffer: {share: 0}}\nclusters:\n  - name: tiger\n    partitions:\n      - gpu: h200\n        islands: [{name: i1, nodes: 32000}]\nquotas:\n" + quotas.String()
}

// journal is the address of the database as a server knows it.
func (p *pair) journal(i int) string {
	var hosts []string
	for _, c := range p.cables[i] {
		if c != nil {
			hosts = append(hosts, c.address())
		}
	}
	return "postgres://muster@" + strings.Join(hosts, ",") + "/postgres"
}

// start starts a server and returns once it is ready, to lead or to follow.
func (p *pair) start(i int) {
	p.t.Helper()
	p.cmd[i] = exec.Command("muster", "up", "--journal", p.journal(i), "--data", p.dirs[i], "--listen", p.at[i], "--fleet", p.fleet)
	p.cmd[i].Args = append(p.cmd[i].Args, p.more...)
	if p.agents[i] != "" {
		p.cmd[i].Args = append(p.cmd[i].Args, "--agents", p.agents[i])
	}
	p.cmd[i].Env = append(os.Environ(), clockEnv+"="+p.clock(i))
	pipe, err := p.cmd[i].StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	words, err := os.OpenFile(p.words(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer words.Close()
	p.cmd[i].Stderr = words
	if err := p.cmd[i].Start(); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = p.cmd[i].Process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), ready) {
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			return
		}
	}
	_ = p.cmd[i].Wait()
	p.t.Fatalf("server %d does not start: %s", i, p.said(i))
}

// clock is the file that says by how much a server's clock is wrong.
func (p *pair) clock(i int) string { return p.dirs[i] + ".clock" }

// jump sets a server's clock.
func (p *pair) jump(i int, by time.Duration) {
	if err := os.WriteFile(p.clock(i), []byte(by.String()), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) words(i int) string { return p.dirs[i] + ".log" }

// said is the end of what a server has said.
func (p *pair) said(i int) string {
	text, _ := os.ReadFile(p.words(i))
	return string(text[max(0, len(text)-3000):])
}

// await waits for so many acknowledgements, but not for ever.
func (p *pair) await(crowd *persistents, n int, after string) {
	p.t.Helper()
	patience := time.After(time.Minute)
	for range n {
		select {
		case <-crowd.acks:
		case <-patience:
			p.t.Fatalf("after %s no command is acknowledged any more; the servers say:\n%s\n\n%s", after, p.said(0), p.said(1))
		}
	}
}

// leader is the server that leads.
func (p *pair) leader() int {
	p.t.Helper()
	j, err := postgres.Open(p.t.Context(), p.databases[0].Address(), postgres.Options{ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer j.Close()
	is, err := j.Leader(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.Index(p.at[:], is.Address)
}

// fault is something that befalls the server that leads, or its database.
type fault struct {
	name     string
	takes    bool // the other server leads afterwards
	replicas bool // only where the database has a replica
	befall   func(p *pair, leader int)
	end      func(p *pair, leader int)
}

var leaderFaults = []fault{
	{name: "leader killed", takes: true, befall: (*pair).kill, end: (*pair).start},
	{
		name: "leader stopped", takes: true,
		befall: (*pair).stop,
		end: func(p *pair, i int) {
			time.Sleep(p.stopped) // meanwhile the other leads
			_ = p.cmd[i].Process.Signal(syscall.SIGCONT)
		},
	},
	{name: "clock jumped ahead", befall: func(p *pair, i int) { p.jump(i, 2*time.Hour) }, end: func(p *pair, i int) { p.jump(i, 0) }},
	{name: "clock jumped far ahead", befall: func(p *pair, i int) { p.jump(i, 90*24*time.Hour) }, end: func(p *pair, i int) { p.jump(i, 0) }},
	{name: "clock jumped back", befall: func(p *pair, i int) { p.jump(i, -time.Hour) }, end: func(p *pair, i int) { p.jump(i, 0) }},
	{name: "leader cut off", takes: true, befall: func(p *pair, i int) { p.each(i, (*cable).cut) }, end: func(p *pair, i int) { p.each(i, (*cable).mend) }},
	{name: "database killed", befall: func(p *pair, _ int) { p.databases[0].Kill(); p.databases[0].Run() }, end: func(*pair, int) {}},
	{name: "database failed over", replicas: true, befall: (*pair).failOver, end: (*pair).replicate},
	{name: "database switched over", replicas: true, befall: (*pair).switchOver, end: (*pair).follow},
}

func (p *pair) kill(i int) {
	_ = p.cmd[i].Process.Kill()
	_ = p.cmd[i].Wait()
}

// stop returns once the server stands still: until then it answers.
func (p *pair) stop(i int) {
	_ = p.cmd[i].Process.Signal(syscall.SIGSTOP)
	_, _ = syscall.Wait4(p.cmd[i].Process.Pid, nil, syscall.WUNTRACED, nil)
}

func (p *pair) each(i int, do func(*cable)) {
	for _, c := range p.cables[i] {
		if c != nil {
			do(c)
		}
	}
}

// failOver kills the database that writes and promotes its replica.
func (p *pair) failOver(int) {
	p.databases[0].Remove()
	p.databases[1].Promote()
	p.databases[0], p.databases[1] = p.databases[1], nil
}

// switchOver stops the database that writes as who plans it does, and promotes its replica.
func (p *pair) switchOver(int) {
	p.databases[0].Stop()
	p.databases[1].Promote()
	p.databases[0], p.databases[1] = p.databases[1], p.databases[0]
}

// follow makes the database that was stopped the replica of the one that was promoted.
func (p *pair) follow(int) {
	p.databases[1].Follow(p.databases[0])
}

// replicate gives the database a replica in the place of the one that was killed.
func (p *pair) replicate(int) {
	p.databases[1] = p.databases[0].Replicate()
	for i := range p.cables {
		for _, c := range p.cables[i] {
			if *c.to.Load() != p.databases[0].Host() {
				c.lead(p.databases[1].Host())
			}
		}
	}
}

// TestAStandbyTakesOver lets something befall the server that leads, or its database, again
// and again under load. No acknowledged command is lost or done twice, and no two servers'
// records are interleaved. MUSTER_TAKEOVERS says how often, and MUSTER_SEED replays a choice of
// moments. MUSTER_CLIENTS and MUSTER_STOPPED (seconds) make it as hard as it is to be shown.
// MUSTER_REPLICA=1 gives the database a synchronous replica, and MUSTER_FAULTS chooses faults by a
// part of their names. MUSTER_TOOK names a file to which how long each fault took is added: what is
// said of them is of all runs then.
//
// Half of the clients know both servers: none of their calls may fail, unless no server led for longer
// than a client waits. The others know one server each: their calls may fail because that one is
// gone, leads no more, or does not answer in time, and for no other reason.
func TestAStandbyTakesOver(t *testing.T) {
	times, seed := int(fromEnv(t, "MUSTER_TAKEOVERS", 5)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	replicated := fromEnv(t, "MUSTER_REPLICA", 0) == 1
	faults := slices.DeleteFunc(slices.Clone(leaderFaults), func(f fault) bool { return f.replicas && !replicated || f.name == "database killed" && replicated })
	if only := os.Getenv("MUSTER_FAULTS"); only != "" {
		faults = slices.DeleteFunc(faults, func(f fault) bool { return !strings.Contains(f.name, only) })
	}
	clients := min(int(fromEnv(t, "MUSTER_CLIENTS", pairs)), crowded)
	p := newPair(t, replicated)
	p.stopped = time.Duration(fromEnv(t, "MUSTER_STOPPED", 1)) * time.Second
	var errs atomic.Int64
	seen := &tally{n: map[string]int{}}
	crowd := newCrowd(t, p.at[0], clients, func(one *persistent) {
		if one.several {
			if waited := time.Since(one.began); waited < clientsPatience {
				t.Errorf("a client that knows both servers sees after %v %v", waited.Round(time.Millisecond), one.failed)
			}
			errs.Add(1)
			return
		}
		if why := ofTakeover(one.failed); why == "" {
			t.Errorf("a client that knows one server sees what no takeover explains: %v", one.failed)
		} else {
			seen.add(why)
		}
		one.patience = 2 * time.Second // a server that is stopped answers nothing
		one.client, one.other = one.other, one.client
		time.Sleep(20 * time.Millisecond) // a server that is gone refuses at once
	}, func(one *persistent) {
		if one.several = one.number%2 == 1; one.several {
			one.client = client.New(client.Options{Address: p.at[0] + "," + p.at[1]})
			return
		}
		one.other = client.New(client.Options{Address: p.at[1], Retries: -1}) // not a new one each time: a server bounds the connections from one place
	})
	rng := rand.New(rand.NewPCG(seed, 0))
	without := map[string][]time.Duration{}
	for n := range times {
		p.await(crowd, 20+rng.IntN(60), "the last fault")
		f := faults[n%len(faults)]
		was := p.leader()
		if was < 0 {
			t.Fatalf("before %s no server leads", f.name)
		}
		began := time.Now()
		f.befall(p, was)
		for len(crowd.acks) > 0 {
			<-crowd.acks
		}
		p.await(crowd, clients+1, f.name) // each client may have had an answer on its way
		took := time.Since(began)
		without[f.name] = append(without[f.name], took)
		keepTook(t, f.name, took)
		t.Logf("%3d of %d (seed %d): %s: no command acknowledged for %v", n+1, times, seed, f.name, took.Round(time.Millisecond))
		if took > aimWithout {
			t.Logf("that is long; the servers say:\n%s\n\n%s", p.said(0), p.said(1))
		}
		if f.takes && p.leader() == was {
			t.Errorf("%s: it still leads", f.name)
		}
		f.end(p, was)
	}
	crowd.finish()
	p.databases[0].SQL(`DO $$ BEGIN IF EXISTS (SELECT 1 FROM (SELECT term < lag(term) OVER (ORDER BY seq) AS back FROM muster.entry) x WHERE back)
THEN RAISE EXCEPTION 'records of two leaders are interleaved'; END IF; END $$`)
	acknowledged := crowd.verify(context.Background(), client.New(client.Options{Address: p.at[p.leader()]}))
	t.Logf("%d faults (seed %d), %d clients: %d commands acknowledged, %d lost, %d done twice; %d errors at those that know both servers; at those that know one: %v",
		times, seed, clients, acknowledged, crowd.lost, crowd.twice, errs.Load(), seen.n)
	tookBefore(t, without)
	leads := p.leader()
	t.Logf("memory: the leader %d MB, the follower %d MB", resident(p.cmd[leads].Process.Pid), resident(p.cmd[1-leads].Process.Pid))
	var takeovers, all []time.Duration
	for _, f := range faults {
		tell(t, f.name, without[f.name])
		if all = append(all, without[f.name]...); f.takes {
			takeovers = append(takeovers, without[f.name]...)
		}
	}
	tell(t, "another server leads", takeovers)
	tell(t, "all faults", all)
}

// clientsPatience is how long a client waits for a server that takes over.
const clientsPatience = 10 * time.Second

// ofTakeover is the class of an error that a takeover explains to a client that knows one server; "": none does.
func ofTakeover(err error) string {
	var refused *client.Refusal
	switch {
	case errors.As(err, &refused) && refused.Code == client.Stale:
		return "not decided yet"
	case errors.Is(err, context.DeadlineExceeded) || connect.CodeOf(err) == connect.CodeDeadlineExceeded:
		return "no answer in time"
	case connect.CodeOf(err) == connect.CodeUnavailable && connect.IsWireError(err):
		return "none leads"
	case connect.CodeOf(err) == connect.CodeUnavailable, errors.As(err, new(net.Error)), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the server is gone"
	}
	return ""
}

// tally counts by name.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (a *tally) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n[name]++
}

// keepTook adds how long a fault took to the file that MUSTER_TOOK names.
func keepTook(t *testing.T, name string, took time.Duration) {
	path := os.Getenv("MUSTER_TOOK")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, _ = fmt.Fprintf(f, "%d %s\n", took, name)
}

// tookBefore takes what that file has, of earlier runs, too.
func tookBefore(t *testing.T, without map[string][]time.Duration) {
	path := os.Getenv("MUSTER_TOOK")
	if path == "" {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(without)
	for line := range strings.Lines(string(text)) {
		took, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(took, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		without[name] = append(without[name], time.Duration(n))
	}
}

// aimWithout is how long no command is acknowledged in 99 of 100 takeovers, as is aimed at.
const aimWithout = 5 * time.Second

// mostWithout is how long no command may be acknowledged at most, on a busy machine.
const mostWithout = 15 * time.Second

// tell says for how long no command was acknowledged.
func tell(t *testing.T, name string, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	most := took[len(took)-1]
	t.Logf("%-20s %3d times: no command acknowledged for %v (p50), %v (p99), %v at most", name, len(took),
		took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), most.Round(time.Millisecond))
	if most > mostWithout {
		t.Errorf("%s: for %v no command was acknowledged", name, most)
	}
}

// A server that follows answers reads, says how far it is behind, and sends writes on.
func TestAServerThatFollowsAnswersReadsAndSendsWritesOn(t *testing.T) {
	p := newPair(t, false)
	follower := 1 - p.leader()
	one := &persistent{client: client.New(client.Options{Address: p.at[follower]}), number: 1}
	note := one.next()
	if err := one.try(one.key()); err != nil {
		t.Fatalf("a write to the server that follows gives %v", err)
	}
	note()
	res, err := http.Get("http://" + p.at[follower] + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Header.Get(headerLag) == "" {
		t.Errorf("a page of the server that follows is answered with %s and lag %q", res.Status, res.Header.Get(headerLag))
	}
	page, err := io.ReadAll(res.Body)
	if says := "This server follows " + p.at[1-follower]; err != nil || !strings.Contains(string(page), says) {
		t.Errorf("the page does not say %q (%v)", says, err)
	}
	if res, err := one.client.Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{}); err != nil || len(res.GetWorkloads()) != 1 || res.GetSeen().GetLag() == nil {
		t.Errorf("right after the write the server that follows has %v (%v)", res, err)
	}
	status, err := one.client.System.Status(t.Context(), &musterv1.StatusRequest{})
	if err != nil || len(status.GetWarnings()) != 1 || !strings.Contains(status.GetWarnings()[0].GetText(), "which leads") {
		t.Errorf("the status of the server that follows warns of %v (%v)", status.GetWarnings(), err)
	}
	if lag := status.GetSeen().GetLag(); lag == nil || lag.AsDuration() > 2*time.Second || status.GetLeader() != p.at[1-follower] {
		t.Errorf("the server that follows is behind by %v, and says that %q leads", lag, status.GetLeader())
	}
	if now, err := client.New(client.Options{Address: p.at[1-follower]}).System.Status(t.Context(), &musterv1.StatusRequest{}); err != nil || now.GetSeen().GetLag() != nil || now.GetLeader() != "" {
		t.Errorf("the server that leads is behind by %v, and says that %q leads (%v)", now.GetSeen().GetLag(), now.GetLeader(), err)
	}
}

// Who names both servers sees nothing of a takeover: no command fails, and no record of a
// stream is missing or comes twice.
func TestWhoNamesBothServersSeesNoTakeover(t *testing.T) {
	p := newPair(t, false)
	both := p.at[0] + "," + p.at[1]
	one := &persistent{client: client.New(client.Options{Address: both}), number: 1, several: true}
	ctx, stop := context.WithCancel(t.Context())
	var last atomic.Uint64
	watched := make(chan error, 1)
	go func() {
		watched <- client.New(client.Options{Address: both}).Watch(ctx, 1, nil, func(r *musterv1.Record) error {
			if seq := last.Add(1); seq != r.GetSeq() {
				return fmt.Errorf("record %d follows %d", r.GetSeq(), seq-1)
			}
			return nil
		})
	}()
	for n := range 30 {
		note := one.next()
		if err := one.try(one.key()); err != nil {
			t.Fatalf("command %d gives %v", n, err)
		}
		note()
		if n == 10 {
			for last.Load() == 0 && len(watched) == 0 { // what is tried is a stream that has begun
				time.Sleep(10 * time.Millisecond)
			}
			p.kill(p.leader())
		}
	}
	out, err := exec.Command("muster", "status", "--server", both).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "state      version") {
		t.Errorf("muster status: %v: %s", err, out)
	}
	now, err := one.client.System.Status(t.Context(), &musterv1.StatusRequest{})
	for err == nil && last.Load() < now.GetSeen().GetVersion() && len(watched) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if broke := <-watched; !errors.Is(broke, context.Canceled) || err != nil {
		t.Errorf("the stream broke at record %d: %v (%v)", last.Load(), broke, err)
	}
}
