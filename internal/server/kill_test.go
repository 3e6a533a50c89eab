package server

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// TestKill kills a server process at random moments under load, again and again,
// and starts it anew on the same journal. Clients repeat what was not answered,
// with its idempotency key. In the end no acknowledged command is lost, and none
// was done twice. MUSTER_KILLS says how often (25 times; 6 with the race detector), MUSTER_SEED replays a run's
// choice of moments.
func TestKill(t *testing.T) {
	kills, seed := int(fromEnv(t, "MUSTER_KILLS", usualKills)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	t.Logf("%d kills, seed %d", kills, seed)
	v := newVictim(t)
	v.start()
	crowd := newPersistents(t, v, 8)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range kills {
		crowd.await(1 + rng.IntN(120))
		v.kill()
		v.start()
	}
	crowd.finish()
	acknowledged := crowd.verify(context.Background(), client.New(client.Options{Address: v.address}))
	t.Logf("killed %d times (seed %d): %d commands acknowledged, %d lost, %d done twice", kills, seed, acknowledged, crowd.lost, crowd.twice)
}

func fromEnv(t *testing.T, key string, otherwise int64) int64 {
	text := os.Getenv(key)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n
}

// victim is a server process that gets killed.
type victim struct {
	t       *testing.T
	dir     string
	address string
	cmd     *exec.Cmd

	mu sync.Mutex
	up chan struct{} // closed while the server is ready
}

// pairs of quotas, one for each client.
const pairs = 8

func newVictim(t *testing.T) *victim {
	v := &victim{t: t, dir: t.TempDir(), address: freeAddress(t), up: make(chan struct{})}
	var quotas strings.Builder
	for i := range pairs {
		fmt.Fprintf(&quotas, "  - {path: p%d/from, grants: [{partition: tiger/h200, gpus: 8000}]}\n  - {path: p%d/to}\n", i, i)
	}
	file := "policy: {buffer: {share: 0}}\nclusters:\n  - name: tiger\n    partitions:\n      - gpu: h200\n        islands: [{name: i1, nodes: 8000}]\nquotas:\n" + quotas.String()
	if err := os.WriteFile(filepath.Join(v.dir, "fleet.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if v.cmd != nil {
			_ = v.cmd.Process.Kill()
			_ = v.cmd.Wait()
		}
	})
	return v
}

// freeAddress is a port without a listener now. It is none of those that systems give to
// connections by themselves: one of these could have it while a server is down.
func freeAddress(t *testing.T) string {
	const tries, first, ports = 100, 20000, 12000
	for range tries {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(ports)))
		if err == nil {
			address := l.Addr().String()
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// start starts the server and returns when it is ready.
func (v *victim) start() {
	v.t.Helper()
	v.cmd = exec.Command("muster", "up", "--data", filepath.Join(v.dir, "data"), "--listen", v.address, "--fleet", filepath.Join(v.dir, "fleet.yaml"))
	pipe, err := v.cmd.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	var words strings.Builder
	v.cmd.Stderr = &words
	if err := v.cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ready) {
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			v.mu.Lock()
			close(v.up)
			v.mu.Unlock()
			return
		}
	}
	_ = v.cmd.Wait()
	v.t.Fatalf("the server does not start again: %s", words.String())
}

// kill is kill -9.
func (v *victim) kill() {
	v.mu.Lock()
	v.up = make(chan struct{})
	v.mu.Unlock()
	if err := v.cmd.Process.Kill(); err != nil {
		v.t.Fatal(err)
	}
	_ = v.cmd.Wait()
}

// ready returns once the server is up.
func (v *victim) ready() {
	v.mu.Lock()
	up := v.up
	v.mu.Unlock()
	<-up
}

// persistents are clients that repeat a command until it is acknowledged.
type persistents struct {
	t     *testing.T
	again func(*persistent) // after a command that was not answered
	acks  chan struct{}
	done  sync.WaitGroup
	quit  chan struct{}
	each  []*persistent

	lost, twice int // of what was acknowledged; see verify
}

// persistent is one of them, with what was acknowledged to it.
type persistent struct {
	client    *client.Client
	other     *client.Client // that knows the other of two servers
	number    int
	several   bool          // it knows several servers
	failed    error         // why a command was not answered last
	began     time.Time     // when it was tried last
	patience  time.Duration // for one answer; 0: 30 s
	transfers bool          // it gives no other commands
	turn      int
	submitted []string // names
	cancelled []string
	moved     int // transfers there
	back      int // and back again, so that there is always something to move
}

func newPersistents(t *testing.T, v *victim, n int) *persistents {
	return newCrowd(t, v.address, n, func(*persistent) { v.ready() })
}

func newCrowd(t *testing.T, address string, n int, again func(*persistent), prepare ...func(*persistent)) *persistents {
	p := &persistents{t: t, again: again, acks: make(chan struct{}, 1<<16), quit: make(chan struct{})}
	for i := range n {
		one := &persistent{client: client.New(client.Options{Address: address, Retries: -1}), number: i}
		for _, fn := range prepare {
			fn(one)
		}
		p.each = append(p.each, one)
		p.done.Go(func() { p.live(one) })
	}
	return p
}

// live gives one command after another, until it is time to finish.
func (p *persistents) live(one *persistent) {
	for {
		select {
		case <-p.quit:
			return
		default:
		}
		note := one.next()
		for key := one.key(); ; p.again(one) {
			one.began = time.Now()
			err := one.try(key)
			if err == nil {
				break
			}
			one.failed = err
			if no := asRefusal(err); no != nil {
				p.t.Errorf("client %d, command %d: %v", one.number, one.turn, no)
				return
			}
		}
		note()
		p.acks <- struct{}{}
	}
}

func asRefusal(err error) error {
	var refusal *client.Refusal
	if !errors.As(err, &refusal) || refusal.Code == client.Stale {
		return nil
	}
	return err
}

func (o *persistent) key() string       { return fmt.Sprintf("client-%d-%d", o.number, o.turn) }
func (o *persistent) namespace() string { return fmt.Sprintf("ns%d", o.number) }
func (o *persistent) name(n int) string { return fmt.Sprintf("w%d", n) }

// next moves on to the next command and returns what notes its acknowledgement.
func (o *persistent) next() (note func()) {
	if o.turn++; o.transfers {
		o.turn += 2
	}
	switch o.turn % 3 {
	case 1:
		return func() { o.submitted = append(o.submitted, o.name(o.turn)) }
	case 2:
		return func() { o.cancelled = append(o.cancelled, o.name(o.turn-1)) }
	}
	if o.turn%6 == 0 {
		return func() { o.back++ }
	}
	return func() { o.moved++ }
}

// try gives the present command: a submission, its cancellation, or a transfer,
// which done twice would move twice as much.
func (o *persistent) try(key string) error {
	ctx, end := context.WithTimeout(context.Background(), cmp.Or(o.patience, 30*time.Second))
	defer end()
	write := &musterv1.Write{IdempotencyKey: key}
	var err error
	switch o.turn % 3 {
	case 1:
		_, err = o.client.Workloads.Submit(ctx, &musterv1.SubmitRequest{Write: write, Spec: &musterv1.WorkloadSpec{
			Name: o.name(o.turn), Namespace: o.namespace(), Target: "flex", Pools: []*musterv1.Pool{{Name: "w", Gpus: 1, Replicas: 1}},
		}})
	case 2:
		_, err = o.client.Workloads.Cancel(ctx, &musterv1.CancelRequest{Write: write, Namespace: o.namespace(), Name: o.name(o.turn - 1)})
	default:
		from, to := fmt.Sprintf("p%d/from", o.number), fmt.Sprintf("p%d/to", o.number)
		if o.turn%6 == 0 {
			from, to = to, from
		}
		_, err = o.client.Quotas.Transfer(ctx, &musterv1.TransferRequest{Write: write, From: from, To: to, Partition: "tiger/h200", Gpus: 8})
	}
	return err
}

// await waits for so many acknowledgements.
func (p *persistents) await(n int) {
	for range n {
		<-p.acks
	}
}

// finish lets everybody have the answer to the last command.
func (p *persistents) finish() {
	close(p.quit)
	p.done.Wait()
}

// verify compares what was acknowledged with the log and the state.
func (p *persistents) verify(ctx context.Context, c *client.Client) (acknowledged int) {
	log := readLog(ctx, p.t, c)
	for _, one := range p.each {
		acknowledged += len(one.submitted) + len(one.cancelled) + one.moved + one.back
		for _, name := range one.submitted {
			p.once("submission", one.namespace()+"/"+name, log.submitted[one.namespace()+"/"+name])
		}
		for _, name := range one.cancelled {
			p.once("cancellation", one.namespace()+"/"+name, log.cancelled[one.namespace()+"/"+name])
		}
		for _, way := range []struct {
			from string
			n    int
		}{{"from", one.moved}, {"to", one.back}} {
			if got := log.moved[fmt.Sprintf("p%d/%s", one.number, way.from)]; got != way.n {
				p.count(got, way.n)
				p.t.Errorf("client %d: %d transfers were acknowledged, the log has %d", one.number, way.n, got)
			}
		}
		p.granted(ctx, c, one)
	}
	if n := len(log.submitted) + len(log.cancelled); n > acknowledged {
		p.t.Errorf("the log has %d submissions and cancellations, more than were ever asked for (%d)", n, acknowledged)
	}
	sameState(ctx, p.t, c)
	return acknowledged
}

// count notes how many acknowledged commands the log has less often, or more, than they were given.
func (p *persistents) count(has, given int) {
	p.lost += max(0, given-has)
	p.twice += max(0, has-given)
}

func (p *persistents) once(what, name string, times int) {
	if times != 1 {
		p.count(times, 1)
		p.t.Errorf("%s of %s was acknowledged once, and stands in the log %d times", what, name, times)
	}
}

func (p *persistents) granted(ctx context.Context, c *client.Client, one *persistent) {
	res, err := c.Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{Path: fmt.Sprintf("p%d/to", one.number)})
	if err != nil {
		p.t.Fatal(err)
	}
	got := 0
	for _, g := range res.GetQuota().GetGrants() {
		got += int(g.GetAssigned())
	}
	if want := 8 * (one.moved - one.back); got != want {
		p.t.Errorf("client %d: transfers of %d GPUs in all were acknowledged, the quota has %d", one.number, want, got)
	}
}

// history is how often the log has what.
type history struct{ submitted, cancelled, moved map[string]int }

// readLog reads all of the log, and checks that no version is missing.
func readLog(ctx context.Context, t *testing.T, c *client.Client) history {
	h, names, seq := history{map[string]int{}, map[string]int{}, map[string]int{}}, map[uint64]string{}, uint64(0)
	for from := uint64(1); from > 0; {
		res, err := c.Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: from, Limit: 10000})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.GetRecords() {
			if seq++; r.GetSeq() != seq {
				t.Fatalf("version %d follows %d", r.GetSeq(), seq-1)
			}
			for _, e := range r.GetEvents() {
				h.note(t, e, names)
			}
		}
		from = res.GetNext()
	}
	return h
}

func (h history) note(t *testing.T, e *musterv1.Event, names map[uint64]string) {
	var data struct {
		ID   uint64
		From string
		Spec struct{ Name, Namespace string }
	}
	if e.GetKind() == "node.changed" {
		return // its from is a state
	}
	if err := json.Unmarshal([]byte(e.GetData()), &data); err != nil {
		t.Fatal(err)
	}
	switch e.GetKind() {
	case "workload.submitted":
		names[data.ID] = data.Spec.Namespace + "/" + data.Spec.Name
		h.submitted[names[data.ID]]++
	case "workload.cancelled":
		h.cancelled[names[data.ID]]++
	case "grant.transferred":
		h.moved[data.From]++
	}
}

// sameState compares the state with what replaying the log gives, at a moment at
// which nothing happened in between.
func sameState(ctx context.Context, t *testing.T, c *client.Client) {
	const tries = 20
	for range tries {
		now, err := c.System.StateHash(ctx, &musterv1.StateHashRequest{})
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := c.System.StateHash(ctx, &musterv1.StateHashRequest{AsOf: now.GetSeen().GetAt()})
		if err != nil {
			t.Fatal(err)
		}
		if now.GetSeen().GetVersion() != replayed.GetSeen().GetVersion() {
			continue
		}
		if now.GetHash() != replayed.GetHash() {
			t.Errorf("the state at version %d is %s, replaying the log gives %s", now.GetSeen().GetVersion(), now.GetHash(), replayed.GetHash())
		}
		return
	}
	t.Error("the log never came to rest, so that the state could not be compared with it")
}
