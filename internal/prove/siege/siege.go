package siege

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Options of a siege.
type Options struct {
	Program    string        // the muster binary to start
	Dir        string        // folder in which the server's data stands; "": the one for temporary files
	Lasts      time.Duration // of each part: without the hostile caller, and beside it
	Patience   time.Duration // how much longer the second part may last until each side has met the other (met)
	People     int           // with pages open
	Submitters int           // programs that submit work
	Progress   func(what string)
}

// Result is what was seen.
type Result struct {
	Singles         []Single // requests of the hostile caller, each alone
	Without, Beside Part
	Foe             map[string]int // its calls, by how they were answered
}

// Part is what others saw while a part lasted.
type Part struct {
	Waits  map[string]Waits // by what they did
	Failed map[string]int   // calls of others that were not answered as they should, by what and how
	Memory int64            // the most that the server had, in bytes; 0: this system does not say
	// Processors that were used: by the server, by the people and programs, and by the hostile caller's own process.
	Cores, CrowdCores, FoeCores float64
}

// Run starts a server and lays siege to it.
func Run(ctx context.Context, o Options) (r Result, err error) {
	dir, err := os.MkdirTemp(o.Dir, "muster-siege-")
	if err != nil {
		return r, fmt.Errorf("a folder for the server: %w", err)
	}
	defer os.RemoveAll(dir)
	o.Progress("start the server")
	f, err := raise(ctx, o, dir)
	if err != nil {
		return r, err
	}
	defer f.fall()
	o.Progress("each request alone")
	if r.Singles, err = f.singles(ctx); err != nil {
		return r, err
	}
	o.Progress(fmt.Sprintf("%d people and %d programs, for %s", o.People, o.Submitters, o.Lasts))
	r.Without = f.part(ctx, o, nil, nil)
	o.Progress(fmt.Sprintf("… and one who is hostile, for %s", o.Lasts))
	foe, err := f.attackedBy(o.Program)
	if err != nil {
		return r, err
	}
	r.Beside = f.part(ctx, o, foe, r.Without.Waits)
	if err := foe.withdraw(); err != nil {
		return r, err
	}
	r.Foe = foe.answered()
	return r, ctx.Err()
}

// settling is how long a crowd has to open its pages before it is measured.
const settling = 5 * time.Second

// part lets a crowd live beside a foe (nil: there is none), and measures it. known are the waits
// without the foe.
func (f *fort) part(ctx context.Context, o Options, foe *enemy, known map[string]Waits) Part {
	ctx, end := context.WithTimeout(ctx, o.Lasts+settling+o.Patience)
	defer end()
	c := newCrowd(f, o)
	over := c.live(ctx)
	rest(ctx, settling)
	c.begin()
	memory := f.watchMemory(ctx)
	server, crowd, foes := f.process.Process.Pid, os.Getpid(), 0
	if foe != nil {
		foes = foe.process.Process.Pid
	}
	used := watchProcessors(server, crowd, foes)
	rest(ctx, o.Lasts)
	for foe != nil && o.Patience > 0 && !met(c, foe, known) && rest(ctx, 100*time.Millisecond) {
	}
	p := Part{Cores: used.cores(server), CrowdCores: used.cores(crowd), FoeCores: used.cores(foes)}
	end()
	p.Memory = <-memory
	over()
	p.Waits, p.Failed = c.waits()
	return p
}

// met says whether the server has refused calls of the foe's, and has answered each kind of call of
// the others. On a busy machine it takes a while until the first of each has come.
func met(c *crowd, e *enemy, known map[string]Waits) bool {
	if e.answered()[refused] == 0 {
		return false
	}
	waits, _ := c.waits()
	for what := range known {
		if waits[what].Calls == 0 {
			return false
		}
	}
	return true
}
