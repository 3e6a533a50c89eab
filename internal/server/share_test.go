package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/run/notify"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/server/sharedfiles"
)

// receiver is who is told by a webhook. It counts what it is told, and checks who tells it.
type receiver struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	secret string
	told   map[string]int // by the notices' IDs
	order  []uint64       // versions, each new one
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, told: map[string]int{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	var m struct {
		Notice struct {
			Version uint64 `json:"version"`
			Text    string `json:"text"`
		} `json:"notice"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var seconds int64
	_, _ = fmt.Sscanf(q.Header.Get(notify.SignatureHeader), "t=%d", &seconds)
	if q.Header.Get(notify.SignatureHeader) != notify.Sign(r.secret, time.Unix(seconds, 0), body) {
		r.t.Errorf("a notice is signed with another secret: %s", m.Notice.Text)
	}
	id := q.Header.Get("Muster-Notice")
	if r.told[id]++; r.told[id] == 1 {
		r.order = append(r.order, m.Notice.Version)
	}
	w.WriteHeader(http.StatusOK)
}

// await returns once so many notices are there, each counted once.
func (r *receiver) await(n int, p *pair) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		is := len(r.told)
		r.mu.Unlock()
		if is >= n {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("%d notices are there, want %d; the servers say:\n%s\n\n%s", is, n, p.said(0), p.said(1))
		}
	}
}

// What is not in the log moves with leadership, without a file of the server that is gone. After a
// takeover webhooks go on with the same secret, each notice once by its ID and in order. Agents that one
// server has let in the other lets in.
func TestWhatIsNotInTheLogMovesWithLeadership(t *testing.T) {
	p := newPair(t, false)
	r := newReceiver(t)
	c := client.New(client.Options{Address: p.at[0] + "," + p.at[1]})
	_, err := c.Subscriptions.Subscribe(t.Context(), &musterv1.SubscribeRequest{Subscription: &musterv1.Subscription{Name: "pager", Url: r.url}})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := c.Subscriptions.GetSecret(t.Context(), &musterv1.GetSecretRequest{Name: "pager"})
	if err != nil {
		t.Fatal(err)
	}
	r.secret = secret.GetSecret()

	was := p.leader()
	enrolled, err := exec.CommandContext(t.Context(), "muster", "agent", "enrol", "lion", "--data", p.dirs[1-was], "--out", filepath.Join(t.TempDir(), "lion.pem")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, enrolled)
	}
	p.alike(was, datafolder.Agents+"/authority.pem", datafolder.Agents+"/lion.crt", notify.KeyFile)

	const each = 5
	for n := range 2 * each {
		if n == each {
			r.await(each, p)
			p.kill(was)
			if err := os.RemoveAll(p.dirs[was]); err != nil {
				t.Fatal(err)
			}
		}
		if err := trouble(t.Context(), c, n); err != nil {
			t.Fatal(err)
		}
	}
	r.await(2*each, p)
	p.start(was) // with an empty folder
	p.alike(was, datafolder.Agents+"/authority.pem", datafolder.Agents+"/lion.crt", notify.KeyFile)
	if out, err := exec.CommandContext(t.Context(), "muster", "agent", "revoke", "lion", "--data", p.dirs[was]).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	p.alike(1-was, datafolder.Agents+"/lion.crt")
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 1; i < len(r.order); i++ {
		if r.order[i] < r.order[i-1] {
			t.Errorf("notices of versions %v are out of order", r.order)
		}
	}
	if len(r.told) != 2*each {
		t.Errorf("%d notices, want %d: %v", len(r.told), 2*each, r.told)
	}
}

// Who was let in is let in although the server that did it is gone with its folder right after.
func TestAnEnrolmentOutlivesTheFolderInWhichItWasMade(t *testing.T) {
	p := newPair(t, false)
	was := p.leader()
	if out, err := exec.CommandContext(t.Context(), "muster", "agent", "enrol", "lion", "--data", p.dirs[was], "--out", filepath.Join(t.TempDir(), "lion.pem")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.kill(was)
	enrolled, err := os.ReadFile(filepath.Join(p.dirs[was], datafolder.Agents, "lion.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.dirs[was]); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if has, _ := os.ReadFile(filepath.Join(p.dirs[1-was], datafolder.Agents, "lion.crt")); string(has) == string(enrolled) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the other server does not know whom the first one has let in; it says:\n%s", p.said(1-was))
		}
	}
}

// A command that changes who speaks for a cluster says so where only one data folder knows it.
func TestAChangeThatIsNotPassedOnIsSaid(t *testing.T) {
	dir := t.TempDir()
	if _, err := enrol(dir, enrolOptions{Cluster: "lion", Holds: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := sharedfiles.PassedOn(dir, "lion", 0); err != nil {
		t.Errorf("a server with a journal of its own: %v", err)
	}
	write(t, filepath.Join(dir, "shared.json"), "{}")
	if err := sharedfiles.PassedOn(dir, "lion", 0); err == nil || !strings.Contains(err.Error(), "alone") {
		t.Errorf("a change that no other server knows: %v", err)
	}
	if err := sharedfiles.PassedOn(dir, "puma", 0); err != nil {
		t.Errorf("a cluster of which nothing has changed: %v", err)
	}
	if err := revoke(dir, "lion"); err != nil {
		t.Fatal(err)
	}
	if err := sharedfiles.PassedOn(dir, "lion", 0); err != nil {
		t.Errorf("what was let in and revoked before anybody knew: %v", err)
	}
}

// trouble lets something happen that people are told of: each time something else.
func trouble(ctx context.Context, c *client.Client, n int) error {
	_, err := c.Quotas.Transfer(ctx, &musterv1.TransferRequest{
		Write: &musterv1.Write{IdempotencyKey: fmt.Sprint("trouble ", n)}, From: "p0/from", To: "p0/to", Partition: "tiger/h200", Gpus: int32(8 * (n + 1)),
	})
	return err
}

// alike waits until both folders have the same in some files.
func (p *pair) alike(i int, names ...string) {
	p.t.Helper()
	for _, name := range names {
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			a, errA := os.ReadFile(filepath.Join(p.dirs[i], name))
			b, errB := os.ReadFile(filepath.Join(p.dirs[1-i], name))
			if string(a) == string(b) && (errA == nil) == (errB == nil) {
				break
			}
			if time.Now().After(end) {
				p.t.Fatalf("%s is not alike (%v, %v): %s %s; the servers say:\n%s\n\n%s", name, errA, errB, strings.TrimSpace(string(a)), strings.TrimSpace(string(b)), p.said(0), p.said(1))
			}
		}
	}
}
