package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// house is a state with its log, and what a receiver got.
type house struct {
	t       *testing.T
	s       *fleet.State
	records []event.Record

	mu      sync.Mutex // each subscription sends by itself
	got     []message
	headers []http.Header
	bodies  [][]byte
	answers []int // what the receiver answers first; then 200

	tells *listener // nil: what happens is not heard as it does
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, s: fleet.NewState()}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	h.do(
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"}, core.SetPolicy{Policy: policy},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 3}}},
		core.CreateQuota{Path: "research/oak"},
		core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 24},
	)
	return h
}

func (h *house) do(commands ...core.Command) {
	h.t.Helper()
	for _, c := range commands {
		now := fleet.InstantOf(time.Unix(1_800_000_000, 0)).Add(time.Duration(h.s.Seq) * time.Minute)
		out, refusal := core.Step(h.s, core.Request{Command: c, Actor: core.System}, now)
		if refusal != nil {
			h.t.Fatalf("%T: %v", c, refusal)
		}
		h.records = append(h.records, out.Record)
	}
}

// subscribe sets a subscription whose cursor is kept in a folder: what comes next is told.
func (h *house) subscribe(dir string, sub fleet.Subscription) {
	sub.URL = "https://chat.example.com/hook"
	h.do(core.Subscribe{Subscription: sub})
	if err := writeCursors(dir, map[string]uint64{sub.Name: h.s.Seq}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) submit(namespace, name, target string, nodes int) {
	h.do(core.Submit{Spec: fleet.Spec{
		Namespace: namespace, Name: name, Target: target, Priority: fleet.Mid, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachAny}},
	}})
}

// RoundTrip is the receiver.
func (h *house) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	code := http.StatusOK
	if len(h.answers) > 0 {
		code, h.answers = h.answers[0], h.answers[1:]
	}
	if code == 0 {
		return nil, errors.New("connection refused")
	}
	if code == http.StatusOK {
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			h.t.Errorf("a body that is no JSON: %s", body)
		}
		h.got, h.headers, h.bodies = append(h.got, m), append(h.headers, r.Header), append(h.bodies, body)
	}
	return &http.Response{StatusCode: code, Body: io.NopCloser(bytes.NewReader(nil)), Header: http.Header{}}, nil
}

// open is a notifier on the house's log, with the key and the cursors of a
// folder, after a person has subscribed.
func (h *house) open(dir string, subs ...fleet.Subscription) *Notifier {
	for _, sub := range subs {
		h.subscribe(dir, sub)
	}
	n, err := New(Options{
		Dir: dir, Read: func(fn func(*fleet.State)) { fn(h.s) },
		Watch: func(ctx context.Context, from uint64, fn func(event.Record) error) error {
			for _, r := range h.records {
				if r.Seq < from {
					continue
				}
				if err := fn(r); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	n.client.Transport = h
	return n
}

// run lets a notifier work for a while of the bubble's time.
func run(t *testing.T, n *Notifier, d time.Duration) {
	ctx, end := context.WithTimeout(context.Background(), d)
	defer end()
	if err := n.Run(ctx); err != nil {
		t.Error(err)
	}
	synctest.Wait()
}

func (h *house) texts() string {
	var list []string
	for _, m := range h.got {
		list = append(list, m.Text)
	}
	return strings.Join(list, "\n")
}

func TestATeamIsToldWhoNeededTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.submit("zoe", "sweep", fleet.Flex, 2)
		h.submit("ann", "sweep", fleet.Flex, 1) // evicted too: no business of zoe's
		n := h.open(t.TempDir(), fleet.Subscription{Name: "zoe", Namespace: "zoe"})
		h.submit("oak", "train", "research/oak", 3)
		h.do(core.OpenIncident{Name: "sev-1", Severity: "sev2", Scope: "tiger"})
		run(t, n, time.Minute)
		for _, part := range []string{"zoe/sweep must leave and waits again with its age", "because oak/train needs the room; this work is on flex, and work of the quota research/oak goes before it", "incident sev-1 opened: sev2 in tiger"} {
			if !strings.Contains(h.texts(), part) {
				t.Errorf("nobody said %q in:\n%s", part, h.texts())
			}
		}
		if len(h.got) != 2 {
			t.Errorf("zoe was told %d things, not 2:\n%s", len(h.got), h.texts())
		}
		secret := n.Secret(h.s.Subscription("zoe"))
		signed := h.headers[0].Get(SignatureHeader)
		if want := Sign(secret, time.Now().Add(-time.Minute), h.bodies[0]); signed != want {
			t.Errorf("signed %s, not %s", signed, want)
		}
	})
}

func TestAQuotaIsToldOfCutsAndBrokenPromises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		n := h.open(t.TempDir(), fleet.Subscription{Name: "oak", Quota: "research"})
		h.do(
			core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 16},
			core.SetNodes{Names: []string{"tiger-h200-a-001", "tiger-h200-a-002"}, State: fleet.Quarantined, Signal: "XID 79"},
		)
		run(t, n, time.Minute)
		want := "the grant of research/oak in tiger/h200 was cut from 24 to 16 GPUs; it holds from Fri 2027-01-15 08:07Z on (muster)\nresearch/oak has 8 of its 16 GPUs of tiger/h200 backed by healthy nodes"
		if h.texts() != want {
			t.Errorf("told\n%s\nnot\n%s", h.texts(), want)
		}
	})
}

func TestCallsThatFailAreRepeatedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		n := h.open(t.TempDir(), fleet.Subscription{Name: "all", Kinds: []fleet.NoticeKind{fleet.NoticeIncident}})
		h.do(core.OpenIncident{Name: "sev-1"}, core.CloseIncident{Name: "sev-1"})
		h.answers = []int{500, 0, 503, 200}
		run(t, n, time.Hour)
		if h.texts() != "incident sev-1 opened: the fleet\nincident sev-1 is closed" {
			t.Errorf("told\n%s", h.texts())
		}
		if st, _ := n.Status("all"); st.Delivered != 2 || st.Dropped != 0 || st.Error != "" {
			t.Errorf("stands %+v", st)
		}
	})
}

func TestANoticeIsGivenUpAfterADayAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		n := h.open(t.TempDir(), fleet.Subscription{Name: "all"})
		h.do(core.OpenIncident{Name: "sev-1"})
		h.answers = make([]int, 10_000) // no listener there
		run(t, n, 23*time.Hour)
		if st, _ := n.Status("all"); st.Waiting != 1 || st.Failing.IsZero() || st.Error == "" {
			t.Errorf("after 23 hours it stands %+v", st)
		}
		n = h.open(n.o.Dir) // begins again where it was
		run(t, n, 25*time.Hour)
		if st, _ := n.Status("all"); st.Waiting != 0 || st.Dropped != 1 {
			t.Errorf("after a day it stands %+v", st)
		}
	})
}

func TestAfterARestartNothingIsLostAndNothingToldTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, dir := newHouse(t), t.TempDir()
		first := h.open(dir, fleet.Subscription{Name: "all"})
		h.do(core.OpenIncident{Name: "one"})
		run(t, first, time.Minute)
		h.do(core.OpenIncident{Name: "two"}) // while no reader followed
		run(t, h.open(dir), time.Minute)
		if want := "incident one opened: the fleet\nincident two opened: the fleet"; h.texts() != want {
			t.Errorf("told\n%s\nnot\n%s", h.texts(), want)
		}
		if first.Secret(h.s.Subscriptions[0]) != h.open(dir).Secret(h.s.Subscriptions[0]) {
			t.Error("the secret changed with the restart")
		}
	})
}

func TestTheSameIsNotSaidTwiceInAMoment(t *testing.T) {
	box := newOutbox(0)
	at := fleet.InstantOf(time.Unix(1_800_000_000, 0))
	for i, after := range []time.Duration{0, time.Minute, 5 * time.Minute, time.Hour} {
		box.put(Notice{ID: string(rune('a' + i)), Text: "oak/train lost a node", At: at.Add(after)})
	}
	if st := box.now(); st.Waiting != 2 || st.Doubles != 2 {
		t.Errorf("it stands %+v; the second and third say what the first said", st)
	}
}

func TestBadSubscriptionsAreRefused(t *testing.T) {
	h := newHouse(t)
	good := fleet.Subscription{Name: "oak", URL: "https://example.com/x"}
	for _, bad := range []struct {
		change func(*fleet.Subscription)
		says   string
	}{
		{func(s *fleet.Subscription) { s.Name = "Oak!" }, "cannot name a subscription"},
		{func(s *fleet.Subscription) { s.URL = "chat.example.com" }, "the URL is none to call"},
		{func(s *fleet.Subscription) { s.URL = "http://chat.example.com/x" }, "write https"},
		{func(s *fleet.Subscription) { s.URL = "https://ada:secret@example.com/x" }, "carries a user name"},
		{func(s *fleet.Subscription) { s.Kinds = []fleet.NoticeKind{"weather"} }, "no kind of notice"},
		{func(s *fleet.Subscription) { s.Quota = "nowhere" }, "there is no quota"},
		{func(s *fleet.Subscription) { s.Workload = "oak" }, "there is no workload"},
		{func(s *fleet.Subscription) { s.Quota, s.Namespace = "research/oak", "oak" }, "not several"},
	} {
		sub := good
		bad.change(&sub)
		_, refusal := core.Step(h.s, core.Request{Command: core.Subscribe{Subscription: sub}, Actor: core.System}, 1)
		if refusal == nil || !strings.Contains(refusal.Message, bad.says) {
			t.Errorf("%+v: refused with %v, not %q", sub, refusal, bad.says)
		}
	}
	if _, refusal := core.Step(h.s, core.Request{Command: core.Subscribe{Subscription: good}, Actor: core.Actor{Name: "user:ada", User: "ada"}}, 1); refusal == nil || refusal.Code != core.NotOperator {
		t.Errorf("ada, who is no operator: %v", refusal)
	}
}
