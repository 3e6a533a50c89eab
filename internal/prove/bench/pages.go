package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Pages are the pages over an engine, and what keeps them live until ctx ends.
type Pages func(e *engine.Engine) (pages http.Handler, live func(ctx context.Context) error, err error)

// What readers and the fleet do meanwhile.
const (
	readers   = 200
	changes   = 50 // a second
	watched   = 30 * time.Second
	refreshes = 700 * time.Millisecond // a page asks anew at most so often, as the server lets it
)

// openPages measures what open pages cost a large fleet that changes all the time.
func openPages(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "pages", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	if o.Pages == nil {
		r.remark("Left out: this program has no pages.")
		return r, nil
	}
	dir, err := os.MkdirTemp(o.Dir, "muster-bench-")
	if err != nil {
		return r, fmt.Errorf("a folder to measure in: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "fleet.db")
	if o.From != "" {
		o.say("copy %s", o.From)
		err = os.CopyFS(dir, os.DirFS(o.From))
	} else {
		err = filled(ctx, o, path)
	}
	if err != nil {
		return r, err
	}
	err = r.pagesOf(ctx, o, path)
	return r, err
}

// filled makes the journal of a fleet that is filled.
func filled(ctx context.Context, o Options, path string) error {
	w, err := newWhole(ctx, o, path)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.fill(ctx, o); err != nil {
		return err
	}
	return w.g.flush(ctx)
}

// pagesOf measures the pages of the fleet in a journal.
func (r *Report) pagesOf(ctx context.Context, o Options, path string) error {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer j.Close()
	o.say("open the fleet")
	e, err := engine.Open(ctx, engine.Options{Journal: j})
	if err != nil {
		return err
	}
	defer e.Close()
	pages, live, err := o.Pages(e)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() { _ = live(ctx) }()
	list := pagesToOpen(e)
	r.Recipe = fmt.Sprintf("the fleet of `muster bench fleet`, filled; %d commands a second; %d open pages, so many of each kind, which ask anew when they are told of a change, "+
		"at most every %s, and for those parts of theirs that come later as seldom as a browser does; pages are asked in the same process, without a network. Commands come at fixed moments, whether those before them are done or not, and a decision's "+
		"time counts from its moment", changes, readers, refreshes)
	o.say("gather the past, and ask for each page once")
	for _, p := range list {
		first := &tab{pages: pages, path: p.path}
		if first.load(ctx); first.wrong != nil {
			return first.wrong // what is measured must be pages
		}
	}
	o.say("alone: %d commands a second", changes)
	alone, quiet := drive(ctx, e, "alone", lasting(o))
	for _, p := range list {
		o.say("open %s", p.name)
		r.opened(ctx, pages, p)
	}
	o.say("%d pages open", readers)
	shut := openAll(ctx, pages, list)
	beside, busy := drive(ctx, e, "beside", lasting(o))
	shut()
	r.add(aimed(Figure{Name: fmt.Sprintf("%d open pages", readers), Value: busy - quiet, Unit: "cores"}, "≤ 1 core", busy-quiet <= 1))
	r.decided("decision, durable, without pages", alone)
	r.decided("… beside them", beside)
	return ctx.Err()
}

// openAll opens the readers' pages, until they are closed.
func openAll(ctx context.Context, pages http.Handler, list []pageToOpen) (shut func()) {
	ctx, stop := context.WithCancel(ctx)
	var open sync.WaitGroup
	for k := range readers {
		open.Go(func() { (&tab{pages: pages, path: list[k%len(list)].path}).watch(ctx) })
	}
	return func() {
		stop()
		open.Wait()
	}
}

// decided says how long decisions took.
func (r *Report) decided(name string, took []time.Duration) {
	r.add(Figure{Name: name + ", p50", Value: ms(at(took, 50)), Unit: "ms"})
	r.add(Figure{Name: name + ", p99", Value: ms(at(took, 99)), Unit: "ms"})
}

func lasting(o Options) time.Duration {
	if o.Quick {
		return watched / 6
	}
	return watched
}

// at is a percentile of some durations.
func at(list []time.Duration, percent int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, len(list)*percent/100)]
}

// drive gives commands at fixed moments, whether those before them are done or not: every
// other one submits, those between take back what was submitted half a second before. It
// says how long each took from its moment on, and how many cores the process used.
func drive(ctx context.Context, e *engine.Engine, name string, lasts time.Duration) (took []time.Duration, cores float64) {
	began, used := time.Now(), spent()
	took = make([]time.Duration, int(lasts*changes/time.Second))
	var all sync.WaitGroup
	for k := range took {
		due := began.Add(time.Duration(k) * time.Second / changes)
		time.Sleep(time.Until(due)) // it never sleeps where it is late
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			_, _ = e.Do(ctx, core.Request{Command: change(name, k), Actor: operator})
			took[k] = time.Since(due)
		})
	}
	all.Wait()
	return took, (spent() - used).Seconds() / time.Since(began).Seconds()
}

// change is the k-th command of a drive.
func change(name string, k int) core.Command {
	const apart = changes / 4 // pairs
	if k%2 == 1 && k/2 >= apart {
		return core.Cancel{Namespace: "pages", Name: fmt.Sprintf("%s-%d", name, k/2-apart)}
	}
	return core.Submit{Spec: fleet.Spec{
		Name: fmt.Sprintf("%s-%d", name, k/2+k%2*1_000_000), Namespace: "pages", User: "bench", Target: fleet.Flex, Partition: wholePartition(k % 20), Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}}
}

// pageToOpen is a kind of page.
type pageToOpen struct{ name, path string }

func pagesToOpen(e *engine.Engine) []pageToOpen {
	var partition, node, quota, job string
	e.Read(func(s *fleet.State) {
		p := s.Partitions[0]
		partition, node, quota = p.ID, p.Nodes[0].Name, p.Accounts[0].Quota
		for id := uint64(1); job == ""; id++ {
			if w := s.Workloads[id]; w != nil && w.State == fleet.Pending || id > s.NextID {
				job = w.Namespace + "/" + w.Name
			}
		}
	})
	return []pageToOpen{
		{"Fleet", "/"},
		{"Can I run?", "/run"},
		{"Workloads", "/workloads"},
		{"Workload", "/workload/" + job},
		{"Queue", "/queue?target=" + url.QueryEscape(quota)},
		{"Partition", "/partition/" + partition},
		{"Teams", "/teams"},
		{"Team", "/team/" + quota},
		{"Haircut", "/haircuts"},
		{"Promise", "/promise"},
		{"Nodes", "/nodes"},
		{"Node", "/node/" + node},
		{"Events", "/events"},
	}
}

// opened opens a page some times, as a browser does, and then asks for all of it.
func (r *Report) opened(ctx context.Context, pages http.Handler, p pageToOpen) {
	t := &tab{pages: pages, path: p.path}
	var first []time.Duration
	for range 20 {
		first = append(first, t.firstByte(ctx))
	}
	began := time.Now()
	size := t.load(ctx)
	whole := time.Since(began)
	byte1 := at(first, 95)
	r.add(aimed(Figure{Name: p.name + ", first byte, p95", Value: ms(byte1), Unit: "ms"}, "≤ 100 ms", byte1 <= 100*time.Millisecond))
	r.add(Figure{Name: p.name + ", all figures", Value: ms(whole), Unit: "ms"})
	r.add(aimed(Figure{Name: p.name + ", whole", Value: float64(size) / 1000, Unit: "kB"}, "≤ 500 kB", size <= 500_000))
}
