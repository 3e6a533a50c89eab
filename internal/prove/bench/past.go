package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// remember measures what a year of a fleet's past costs, and how soon it answers.
func remember(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "past", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	dir, err := os.MkdirTemp(o.Dir, "muster-past-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	nodes := o.scaled(10_000)
	path := filepath.Join(dir, "year.db")
	if err := yearOnDisk(ctx, o, path, nodes, &r); err != nil {
		return r, fmt.Errorf("a year of a fleet: %w", err)
	}
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return r, err
	}
	defer j.Close()
	e, err := engine.Open(ctx, engine.Options{Journal: j, Synchronous: true})
	if err != nil {
		return r, err
	}
	defer e.Close()
	for _, step := range []func(context.Context, Options, *engine.Engine, string, *Report) error{gather, figures, states} {
		if err := step(ctx, o, e, dir, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func yearOnDisk(ctx context.Context, o Options, path string, nodes int, r *Report) error {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer j.Close()
	g := &gathering{Journal: j}
	y, err := makeYear(ctx, o, g, nodes, 365, engine.UsualSnapshotEvery)
	if err != nil {
		return err
	}
	log, snapshots, n := sizes(path)
	r.add(Figure{Name: fmt.Sprintf("a year of %d nodes, records", nodes), Value: float64(y.records), Unit: "records"})
	r.add(Figure{Name: "the journal on disk", Value: log, Unit: "MB"})
	r.add(Figure{Name: fmt.Sprintf("its %d snapshots on disk", n), Value: snapshots, Unit: "MB"})
	r.remark("The year is made by the engine in virtual time: clusters of 1,000 nodes, %d failures and %d submissions a day in each, drawn from seed %d.", failuresPerDay, submitsPerDay, o.Seed)
	return y.Close()
}

// sizes is what a journal and its snapshots take on disk, in MB.
func sizes(path string) (log, snapshots float64, n int) {
	for _, suffix := range []string{"", "-wal"} {
		if f, err := os.Stat(path + suffix); err == nil {
			log += float64(f.Size()) / 1e6
		}
	}
	files, _ := os.ReadDir(path + "-snapshots")
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			snapshots += float64(info.Size()) / 1e6
		}
	}
	return log, snapshots, len(files)
}

// gather measures reading the whole log into a book, keeping its notes, and going on from them.
func gather(ctx context.Context, o Options, e *engine.Engine, dir string, r *Report) error {
	path := filepath.Join(dir, "past.notes")
	for _, name := range []string{"the past gathered from the whole log", "the past found again after a restart"} {
		o.say("%s", name)
		began, used := time.Now(), spent()
		following, stop := context.WithCancel(ctx)
		k := keeper.New(e, keeper.Options{Path: path})
		ended := make(chan error, 1)
		go func() { ended <- k.Run(following) }()
		err := k.Read(ctx, e.Durable(), func(*past.Book) {})
		took := time.Since(began)
		stop()
		if err := cmpErr(err, <-ended); err != nil {
			return err
		}
		r.add(Figure{Name: name, Value: took.Seconds(), Unit: "s", Cores: (spent() - used).Seconds() / took.Seconds()})
	}
	if f, err := os.Stat(path); err == nil {
		r.add(Figure{Name: "its notes on disk", Value: float64(f.Size()) / 1e6, Unit: "MB"})
	}
	return nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// figures measures questions to the book, each about a random stretch of the year.
func figures(ctx context.Context, o Options, e *engine.Engine, _ string, r *Report) error {
	book := past.New()
	before := heap()
	if err := e.Records(ctx, 1, func(rec event.Record) error { book.Add(rec); return nil }); err != nil {
		return err
	}
	r.add(Figure{Name: "the book in memory, with its state", Value: float64(heap()-before) / 1e6, Unit: "MB"})
	draw := newRand(o.Seed, 10)
	for _, q := range []struct {
		name string
		ask  func(past.Window, int64)
	}{
		{"health of every partition", func(w past.Window, now int64) { book.Health("", past.ByPartition, w, now) }},
		{"health of every island", func(w past.Window, now int64) { book.Health("", past.ByIsland, w, now) }},
		{"nodes, how often each failed", func(w past.Window, now int64) { book.History("", w, now) }},
		{"mttr by stage and cause", func(w past.Window, now int64) { book.Repairs("", past.ByCluster, true, w, now) }},
		{"targets of every cluster", func(w past.Window, now int64) { book.Attained("", w, now) }},
		{"waiting by week, quota and reason", func(w past.Window, now int64) { book.Waiting("", "", w, now) }},
		{"use of every quota", func(w past.Window, now int64) { book.Usage("", "", w, now) }},
	} {
		most, work := slowest(200, func() { q.ask(window(draw, book.At), book.At) })
		r.add(aimed(Figure{Name: q.name + ", processor time of the slowest of 200", Value: work.Seconds() * 1000, Unit: "ms"}, "≤ 100 ms", work <= 100*time.Millisecond))
		if most > 2*work {
			r.remark("%s took up to %.0f ms by the clock: the machine had other work.", q.name, most.Seconds()*1000)
		}
	}
	return nil
}

// window draws a stretch of the year.
func window(r *rand.Rand, end int64) past.Window {
	begin := yearStart.UnixMilli()
	a, b := begin+r.Int64N(end-begin), begin+r.Int64N(end-begin)
	return past.Window{From: min(a, b), To: max(a, b) + 1}
}

// slowest is the longest time, by the clock and of the processor.
func slowest(n int, do func()) (clock, work time.Duration) {
	for range n {
		began, used := time.Now(), spent()
		do()
		clock, work = max(clock, time.Since(began)), max(work, spent()-used)
	}
	return clock, work
}

// states measures finding the state of random moments of the year.
func states(ctx context.Context, o Options, e *engine.Engine, _ string, r *Report) error {
	draw := newRand(o.Seed, 11)
	end := fleet.Instant(0)
	e.Read(func(s *fleet.State) { end = s.Time })
	begin := fleet.InstantOf(yearStart)
	const n = 30
	var failed error
	var list, work []time.Duration
	whole, used := time.Now(), spent()
	for k := range n {
		o.say("the state of %d of %d moments", k+1, n)
		at := begin + fleet.Instant(draw.Int64N(int64(end-begin)))
		began, before := time.Now(), spent()
		if err := e.LookBack(ctx, at, func(*fleet.State) {}); err != nil {
			failed = err
		}
		list, work = append(list, time.Since(began)), append(work, spent()-before)
	}
	slices.Sort(list)
	slices.Sort(work)
	had := (spent() - used).Seconds() / time.Since(whole).Seconds()
	r.add(Figure{Name: "the state of a random moment, median", Value: list[n/2].Seconds(), Unit: "s", Cores: had})
	r.add(aimed(Figure{Name: "the state of a random moment, slowest of 30", Value: list[n-1].Seconds(), Unit: "s", Cores: had}, "≤ 2 s", list[n-1] <= 2*time.Second))
	r.add(Figure{Name: "the same in processor time, median", Value: work[n/2].Seconds() * 1000, Unit: "ms"})
	r.add(Figure{Name: "the same in processor time, slowest of 30", Value: work[n-1].Seconds() * 1000, Unit: "ms"})
	return failed
}
