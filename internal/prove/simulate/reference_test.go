package simulate

import (
	"math"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// This file is an independent judge of the engine: a private cluster per team,
// in a few lines that share nothing with the rooms that decide. It is the
// published baseline: strict head-of-line order; up to 8 GPUs on one node, best
// fit; multiples of 8 on wholly free nodes; otherwise whole nodes plus one
// remainder node.

// private is a team's own cluster: the free GPUs of each node.
type private []int

func newPrivate(nodes int) private {
	p := make(private, nodes)
	for i := range p {
		p[i] = 8
	}
	return p
}

// put takes room for a job, and lists what it took per node; nil: no room. Ties
// go to the first node in the order.
func (p private) put(gpus int, order []int) map[int]int {
	took := map[int]int{}
	for _, n := range order {
		if p[n] == 8 && len(took) < gpus/8 {
			took[n] = 8
		}
	}
	best := -1
	for _, n := range order {
		if took[n] == 0 && p[n] >= gpus%8 && (best < 0 || p[n] < p[best]) {
			best = n
		}
	}
	if len(took) < gpus/8 || (gpus%8 > 0 && best < 0) {
		return nil
	}
	if gpus%8 > 0 {
		took[best] = gpus % 8
	}
	for n, g := range took {
		p[n] -= g
	}
	return took
}

// ending is a job that runs, in the reference.
type ending struct {
	at   time.Time
	took map[int]int
}

// reference is the wait of each job, in the order given, on a private cluster.
// The rule leaves open which of several equally full nodes is taken: order says
// which, each time anew.
func reference(jobs []trace.Job, nodes int, order func(int) []int) []time.Duration {
	p, running, waits := newPrivate(nodes), []ending{}, make([]time.Duration, len(jobs))
	now := time.Time{}
	for i, j := range jobs {
		if j.Submit.After(now) {
			now = j.Submit
		}
		for {
			running = p.release(running, now)
			if took := p.put(j.GPUs, order(nodes)); took != nil {
				running = insert(running, ending{now.Add(j.Duration), took})
				break
			}
			now = running[0].at
		}
		waits[i] = now.Sub(j.Submit)
	}
	return waits
}

func insert(running []ending, e ending) []ending {
	k := sort.Search(len(running), func(k int) bool { return running[k].at.After(e.at) })
	return slices.Insert(running, k, e)
}

// byIndex takes the first of equally full nodes.
func byIndex(nodes int) []int {
	order := make([]int, nodes)
	for i := range order {
		order[i] = i
	}
	return order
}

func (p private) release(running []ending, now time.Time) []ending {
	for len(running) > 0 && !running[0].at.After(now) {
		for n, g := range running[0].took {
			p[n] += g
		}
		running = running[1:]
	}
	return running
}

const philly = "../../../../shared/data/philly/"

// publishedWindow is that of the published figures.
var (
	publishedFrom = time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)
	publishedTo   = time.Date(2017, 11, 30, 23, 59, 0, 0, time.UTC)
)

func TestTheReferenceGivesThePublishedWaits(t *testing.T) {
	need(t, full)
	cases := []struct {
		team  string
		nodes int
		want  float64 // mean FIFO queueing in seconds, Helios, SC'21
	}{{"7f04ca", 32, 1412}, {"2869ce", 16, 21171}}
	for _, c := range cases {
		t.Run(c.team, func(t *testing.T) {
			jobs, err := readJobs(Options{Jobs: []string{full}, Teams: []string{c.team}, From: publishedFrom, To: publishedTo})
			if err != nil {
				t.Fatal(err)
			}
			got := meanOf(reference(jobs, c.nodes, byIndex))
			t.Logf("%d jobs wait %.1f s", len(jobs), got)
			if math.Abs(got-c.want) > 2 {
				t.Errorf("mean wait %.1f s, want %.0f s", got, c.want)
			}
		})
	}
}
