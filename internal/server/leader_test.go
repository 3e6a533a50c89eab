package server

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
)

// pair are servers on one database, of which one leads.
type pair struct {
	t        *testing.T
	database *pgtest.Server
	fleet    string
	dirs     [2]string
	at       [2]string
	cmd      [2]*exec.Cmd
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t, database: pgtest.Start(t, "fsync = off"), fleet: filepath.Join(newVictim(t).dir, "fleet.yaml")}
	for i := range p.at {
		p.dirs[i], p.at[i] = t.TempDir(), freeAddress(t)
		p.start(i)
		t.Cleanup(func() { _ = p.cmd[i].Process.Kill(); _ = p.cmd[i].Wait() })
	}
	return p
}

// start starts a server and returns once it is ready, to lead or to follow.
func (p *pair) start(i int) {
	p.t.Helper()
	p.cmd[i] = exec.Command("muster", "up", "--journal", p.database.Address(), "--data", p.dirs[i], "--listen", p.at[i], "--fleet", p.fleet)
	pipe, err := p.cmd[i].StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	var words strings.Builder
	p.cmd[i].Stderr = &words
	if err := p.cmd[i].Start(); err != nil {
		p.t.Fatal(err)
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), ready) {
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			return
		}
	}
	_ = p.cmd[i].Wait()
	p.t.Fatalf("server %d does not start: %s", i, words.String())
}

// leader is the server that leads.
func (p *pair) leader() int {
	p.t.Helper()
	j, err := postgres.Open(p.t.Context(), p.database.Address(), postgres.Options{ReadOnly: true})
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

// TestAStandbyTakesOver kills the server that leads, or stops it for longer than its lease,
// again and again under load. No acknowledged command is lost or done twice, and no two
// servers' records are interleaved. MUSTER_TAKEOVERS says how often; MUSTER_SEED replays a choice of moments.
func TestAStandbyTakesOver(t *testing.T) {
	times, seed := int(fromEnv(t, "MUSTER_TAKEOVERS", 4)), uint64(fromEnv(t, "MUSTER_SEED", time.Now().UnixNano()%1e9))
	p := newPair(t)
	var turn atomic.Int64
	crowd := newCrowd(t, p.at[0], pairs, func(one *persistent) {
		one.patience = 2 * time.Second // a server that is stopped answers nothing
		one.client = client.New(client.Options{Address: p.at[turn.Add(1)%2], Retries: -1})
		time.Sleep(20 * time.Millisecond) // a server that is gone refuses at once
	})
	rng := rand.New(rand.NewPCG(seed, 0))
	var without []time.Duration
	for n := range times {
		crowd.await(20 + rng.IntN(60))
		was := p.leader()
		if was < 0 {
			t.Fatal("no server leads")
		}
		began := time.Now()
		if n%2 == 0 {
			_ = p.cmd[was].Process.Kill()
			_ = p.cmd[was].Wait()
		} else {
			_ = p.cmd[was].Process.Signal(syscall.SIGSTOP)
		}
		for len(crowd.acks) > 0 {
			<-crowd.acks
		}
		crowd.await(pairs + 1) // each client may have had an answer on its way
		without = append(without, time.Since(began))
		if p.leader() == was {
			t.Error("the server that is gone still leads")
		}
		if n%2 == 0 {
			p.start(was)
		} else {
			_ = p.cmd[was].Process.Signal(syscall.SIGCONT)
		}
	}
	crowd.finish()
	p.database.SQL(`DO $$ BEGIN IF EXISTS (SELECT 1 FROM (SELECT term < lag(term) OVER (ORDER BY seq) AS back FROM muster.entry) x WHERE back)
THEN RAISE EXCEPTION 'records of two leaders are interleaved'; END IF; END $$`)
	acknowledged := crowd.verify(context.Background(), client.New(client.Options{Address: p.at[p.leader()]}))
	slices.Sort(without)
	t.Logf("%d times without a leader (seed %d): %d commands acknowledged; %v at most", times, seed, acknowledged, without[len(without)-1])
	if most := without[len(without)-1]; most > 15*time.Second {
		t.Errorf("for %v no command was acknowledged", most)
	}
}

// A server that follows answers reads, says how far it is behind, and sends writes on.
func TestAServerThatFollowsAnswersReadsAndSendsWritesOn(t *testing.T) {
	p := newPair(t)
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
}
