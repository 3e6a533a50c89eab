package past_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// recount is the same sums as a Book's, made the slow way: every figure of every
// state, times how long the state stood.
type recount struct {
	sums  map[string]int64 // whole history
	peaks map[string]int64
	last  map[string]int64 // figures of the state that stands
	at    int64
}

func newRecount() *recount {
	return &recount{sums: map[string]int64{}, peaks: map[string]int64{}, last: map[string]int64{}}
}

func (c *recount) hear(r event.Record, s *fleet.State) {
	c.until(int64(r.At) / 1e6)
	c.last = figures(s)
}

func (c *recount) until(at int64) {
	for k, v := range c.last {
		c.sums[k] += v * (at - c.at)
		if at > c.at {
			c.peaks[k] = max(c.peaks[k], v)
		}
	}
	c.at = at
}

// figures reads a state node by node and workload by workload.
func figures(s *fleet.State) map[string]int64 {
	f := map[string]int64{}
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			island := p.ID + "/" + p.Islands[n.Island].Name
			f[island+" "+string(n.State)]++
			if n.State != fleet.Retired {
				f[island+" installed"] += int64(n.GPUs)
				f[island+" usable"] += int64(n.UsableGPUs())
			}
		}
		for _, a := range p.Accounts {
			f[p.ID+" "+a.Quota+" assigned"] += int64(a.Grant)
			f[p.ID+" "+a.Quota+" backed"] += int64(a.BackedGPUs())
			f[p.ID+" "+a.Quota+" usage"] += int64(a.Usage())
		}
	}
	for _, w := range s.Workloads {
		if w.State == fleet.Pending || w.State == fleet.Starting {
			f["waits "+w.Target] += int64(w.NeedsBase())
		}
		for i, replicas := range w.Replicas {
			for _, r := range replicas {
				if r.Phase != fleet.Reserved {
					f[w.Where[:len(w.Where)-5]+" held"] += int64(w.Pools[i].GPUs)
				}
			}
		}
	}
	return f
}

func TestSumsAreThoseOfEveryState(t *testing.T) {
	for seed := range uint64(6) {
		book, slow := past.New(), newRecount()
		w := newWorld(t, func(r event.Record, _ *fleet.State) { book.Add(r) }, slow.hear)
		w.live(rand.New(rand.NewPCG(seed, 4)), 200)
		now := int64(w.now) / 1e6
		slow.until(now)
		compare(t, seed, book, slow, past.Window{From: start.UnixMilli() - 1, To: now}, now)
	}
}

func compare(t *testing.T, seed uint64, b *past.Book, c *recount, w past.Window, now int64) {
	t.Helper()
	is := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("seed %d: %s: %d, counted state by state %d", seed, what, got, want)
		}
	}
	down := map[string]int64{}
	for _, h := range b.Health("", past.ByIsland, w, now) {
		for _, s := range fleet.NodeStates() {
			is(h.Scope+" "+string(s), h.States[s], c.sums[h.Scope+" "+string(s)])
		}
		is(h.Scope+" installed", h.Installed, c.sums[h.Scope+" installed"])
		is(h.Scope+" usable", h.Usable, c.sums[h.Scope+" usable"])
		down[past.ByCluster.Of(h.Scope)] += h.Installed - h.Usable
	}
	for _, u := range b.Usage("", "", w, now) {
		key := u.Partition + " " + u.Quota
		is(key+" assigned", u.Assigned, c.sums[key+" assigned"])
		is(key+" backed", u.Backed, c.sums[key+" backed"])
		is(key+" unbacked", u.Unbacked, u.Assigned-u.Backed)
		is(key+" usage", u.Usage, c.sums[key+" usage"])
		is(key+" peak", int64(u.Peak), c.peaks[key+" usage"])
	}
	for _, a := range b.Attained("", w, now) {
		by := int64(0)
		for _, one := range a.DownBy {
			by += one.GPUs
		}
		is(a.Cluster+" down by cause", by, down[a.Cluster])
		is(a.Cluster+" held", a.Uptime.Held, c.sums[a.Cluster+" held"])
		if u := a.Uptime; u.Stalled > u.Held || u.Undone > u.Held || u.Share() < 0 || u.Share() > 1 {
			t.Errorf("seed %d: %s loses more than there was: %+v", seed, a.Cluster, u)
		}
	}
	waited := map[string]int64{}
	for _, one := range b.Waiting("", "", w, now) {
		waited[one.Quota] += one.GPUs
	}
	for _, target := range []string{"r/x", "r/y", fleet.Flex} {
		is("waited for "+target, waited[target], c.sums["waits "+target])
	}
}

// A process that ends and goes on from its notes, at any record, gathers the same.
func TestNotesGoOnWhereTheyWere(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 5))
		live, resumed := past.New(), past.New()
		w := newWorld(t, func(rec event.Record, _ *fleet.State) { live.Add(rec) }, func(rec event.Record, s *fleet.State) {
			resumed.Add(rec)
			if r.IntN(20) == 0 {
				resumed = again(t, resumed, s)
			}
		})
		w.live(rand.New(rand.NewPCG(seed, 6)), 200)
		if a, b := encoded(t, live.Notes), encoded(t, resumed.Notes); a != b {
			t.Errorf("seed %d: after restarts the notes differ:\n%s\n%s", seed, a, b)
		}
	}
}

func again(t *testing.T, b *past.Book, s *fleet.State) *past.Book {
	t.Helper()
	var n past.Notes
	if err := json.Unmarshal([]byte(encoded(t, b.Notes)), &n); err != nil {
		t.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	copied, err := fleet.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return past.Resume(n, copied)
}

func encoded(t *testing.T, n past.Notes) string {
	t.Helper()
	data, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
