package siege

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// What others do, as their waits are named.
const (
	opening    = "a page is opened"
	refreshing = "an open page is renewed"
	submitting = "work is submitted"
	cancelling = "work is cancelled"
	granting   = "an operator's command"
)

// The pages that people have open.
var pages = []string{
	"/", "/workloads", "/teams", "/nodes", "/promise", "/partition/tiger/h200", "/queue?target=research/oak", "/events",
}

// How often people and programs do something.
const (
	lookEvery   = 20 * time.Second // a person opens another page
	renewEvery  = 5 * time.Second  // an open page asks anew after a change, at most
	submitEvery = time.Second
	grantEvery  = 50 * time.Millisecond
)

// Waits are how long something took.
type Waits struct {
	Calls         int
	P50, P99, Max time.Duration
}

// crowd are the people and programs of a fleet.
type crowd struct {
	*fort
	o                         Options
	readers, programs, runner *http.Client

	mu       sync.Mutex
	measures bool
	took     map[string][]time.Duration
	failed   map[string]int
}

func newCrowd(f *fort, o Options) *crowd {
	return &crowd{fort: f, o: o, readers: from("127.0.0.3"), programs: from("127.0.0.4"), runner: from("127.0.0.5"), took: map[string][]time.Duration{}, failed: map[string]int{}}
}

// live lets the crowd do what it does until ctx ends; over waits for its last call.
func (c *crowd) live(ctx context.Context) (over func()) {
	var all sync.WaitGroup
	for i := range c.o.People {
		all.Go(func() { c.read(ctx, i) })
		all.Go(func() { c.look(ctx, i) })
	}
	for i := range c.o.Submitters {
		all.Go(func() { c.submit(ctx, i) })
	}
	all.Go(func() { c.grant(ctx) })
	return func() {
		all.Wait()
		for _, one := range []*http.Client{c.readers, c.programs, c.runner} {
			one.CloseIdleConnections()
		}
	}
}

// begin begins to measure.
func (c *crowd) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.measures = true
}

// timed measures one call.
func (c *crowd) timed(ctx context.Context, what string, do func() (int, int64, error)) {
	began := time.Now()
	status, _, err := do()
	if ctx.Err() != nil {
		return // the part is over
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.measures {
		return
	}
	c.took[what] = append(c.took[what], time.Since(began))
	if err != nil || status != http.StatusOK {
		c.failed[fmt.Sprintf("%s: %d %.60v", what, status, err)]++
	}
}

// look opens one page after the other.
func (c *crowd) look(ctx context.Context, i int) {
	if !rest(ctx, lookEvery*time.Duration(i)/time.Duration(c.o.People)) {
		return
	}
	for n := i; ; n++ {
		c.timed(ctx, opening, func() (int, int64, error) {
			return c.open(ctx, c.readers, tokenOf(person(i)), pages[n%len(pages)], false)
		})
		if !rest(ctx, lookEvery) {
			return
		}
	}
}

// read has a page open, which asks anew for what has changed when it is told so.
func (c *crowd) read(ctx context.Context, i int) {
	endless := *c.readers
	endless.Timeout = 0
	for rest(ctx, time.Duration(i)*10*time.Millisecond) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+"/live", http.NoBody)
		if err != nil {
			return
		}
		r.AddCookie(&http.Cookie{Name: "muster_token", Value: tokenOf(person(i))})
		res, err := endless.Do(r)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if !strings.HasPrefix(lines.Text(), "event: changed") {
				continue
			}
			c.timed(ctx, refreshing, func() (int, int64, error) {
				return c.open(ctx, c.readers, tokenOf(person(i)), pages[i%len(pages)], true)
			})
			if !rest(ctx, renewEvery) {
				break
			}
		}
		_ = res.Body.Close()
	}
}

// submit submits work and cancels it.
func (c *crowd) submit(ctx context.Context, i int) {
	name := program(i)
	rest(ctx, submitEvery*time.Duration(i)/time.Duration(c.o.Submitters))
	for n := 0; rest(ctx, submitEvery/2); n++ {
		work := fmt.Sprintf("w%d-%d", time.Now().UnixNano(), n)
		c.timed(ctx, submitting, func() (int, int64, error) {
			return c.send(ctx, c.programs, tokenOf(name), ask("WorkloadService/Submit", fmt.Sprintf(`{"spec":{"name":%q,"namespace":%q,"target":"research/oak","pools":[{"name":"w","gpus":1,"replicas":1}]}}`, work, name)))
		})
		if !rest(ctx, submitEvery/2) {
			return
		}
		c.timed(ctx, cancelling, func() (int, int64, error) {
			return c.send(ctx, c.programs, tokenOf(name), ask("WorkloadService/Cancel", fmt.Sprintf(`{"namespace":%q,"name":%q}`, name, work)))
		})
	}
}

// grant changes a quota, as an operator.
func (c *crowd) grant(ctx context.Context) {
	for n := 0; rest(ctx, grantEvery); n++ {
		c.timed(ctx, granting, func() (int, int64, error) {
			return c.send(ctx, c.runner, tokenOf(operator), ask("QuotaService/SetGrant", fmt.Sprintf(`{"quota":"product","partition":"tiger/h200","gpus":%d}`, 1600+8*(n%2))))
		})
	}
}

// waits are how long everything took.
func (c *crowd) waits() (all map[string]Waits, failed map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all = map[string]Waits{}
	for what, took := range c.took {
		took = slices.Sorted(slices.Values(took))
		n := len(took)
		all[what] = Waits{Calls: n, P50: took[n/2], P99: took[min(n-1, n*99/100)], Max: took[n-1]}
	}
	return all, maps.Clone(c.failed)
}

// rest waits; false: ctx ended meanwhile.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
