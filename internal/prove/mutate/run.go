package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// options say which mistakes are made.
type options struct {
	folder string
	n      int
	jobs   int // how many mutants run at once
	seed   uint64
	at     string // the commit whose code the sites are drawn of; none: the code as it stands
	only   []int  // the numbers of the sites that are tried; none: all
}

func main() {
	o := options{}
	flag.IntVar(&o.n, "n", 300, "how many mutants are tried")
	flag.IntVar(&o.jobs, "j", 1, "how many mutants run at once")
	flag.Uint64Var(&o.seed, "seed", 0, "of what is drawn; 0: a new one")
	flag.StringVar(&o.folder, "in", "internal/decide", "where mistakes are made")
	flag.StringVar(&o.at, "at", "", "draw of the code of this commit, and try what still stands")
	flag.Func("only", "try these mutants of the seed only: their numbers, such as 7,140-299", o.readOnly)
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1 << 32)
	}
	if err := mutate(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func (o *options) readOnly(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		for id := from; id <= to; id++ {
			o.only = append(o.only, id)
		}
	}
	return nil
}

func mutate(ctx context.Context, o options) error {
	list, dropped, err := o.sites(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	compiled, err := compile(ctx, dir, list, dropped)
	if err != nil {
		return err
	}
	if compiled, err = measured(ctx, o.jobs, compiled); err != nil {
		return err
	}
	t := &tally{seed: o.seed}
	each(o.jobs, o.wanted(len(list), dropped), func(i int) {
		verdict, by := try(ctx, compiled, i+1)
		t.count(i+1, list[i], verdict, by)
	})
	fmt.Println(t)
	return nil
}

// places are the numbers from 0 on, so many.
func places(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// each calls f for all of a list, so many at once.
func each(jobs int, list []int, f func(int)) {
	var running sync.WaitGroup
	free := make(chan bool, max(1, jobs))
	for _, i := range list {
		free <- true
		running.Go(func() {
			defer func() { <-free }()
			f(i)
		})
	}
	running.Wait()
}

// tally is what became of the mutants so far.
type tally struct {
	sync.Mutex
	seed          uint64
	tried, caught int
}

func (t *tally) count(id int, s site, verdict string, by *suite) {
	t.Lock()
	defer t.Unlock()
	t.tried++
	if verdict == noticed {
		t.caught++
		fmt.Printf("%d noticed by %s: %s\n", id, by, s)
		return
	}
	fmt.Printf("SURVIVED (%s) %d: %s\n", verdict, id, s)
}

func (t *tally) String() string {
	return fmt.Sprintf("-seed %d: %d of %d mutants caught, %.1f %%", t.seed, t.caught, t.tried, 100*float64(t.caught)/float64(max(1, t.tried)))
}

// sites draws, and finds what was drawn in the code as it stands.
func (o options) sites(ctx context.Context) (list []site, dropped map[int]bool, err error) {
	all, err := sitesIn(o.folder)
	if err != nil {
		return nil, nil, err
	}
	from := all
	if o.at != "" {
		if from, err = sitesAt(ctx, o.at, o.folder); err != nil {
			return nil, nil, err
		}
	}
	fmt.Printf("-seed %d -n %d: %d sites\n", o.seed, o.n, len(from))
	drawn := draw(rand.New(rand.NewPCG(o.seed, 0)), from, o.n+o.n/4) // some will not compile
	list, dropped = placed(drawn, all)
	if o.at != "" {
		fmt.Printf("%d of %d sites of %s stand no more\n", len(dropped), len(drawn), o.at)
	}
	return list, dropped, nil
}

// wanted are the first n sites that compile, or of them the ones that were asked for.
func (o options) wanted(sites int, dropped map[int]bool) (list []int) {
	for i := range sites {
		if !dropped[i] && len(list) < o.n {
			list = append(list, i)
		}
	}
	if len(o.only) > 0 {
		list = slices.DeleteFunc(list, func(i int) bool { return !slices.Contains(o.only, i+1) })
	}
	return list
}

// compile builds all suites, and drops sites that do not compile.
func compile(ctx context.Context, dir string, list []site, dropped map[int]bool) ([]*suite, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return nil, err
	}
	for {
		file, err := overlay(dir, root, strings.TrimSpace(string(out)), list, dropped)
		if err != nil {
			return nil, err
		}
		compiled, output, err := build(ctx, dir, root, file)
		if err == nil {
			fmt.Printf("%d of %d sites compile\n", len(list)-len(dropped), len(list))
			return compiled, nil
		}
		if blamed(output, list, dropped) == 0 {
			return nil, fmt.Errorf("%w\n%s", err, output)
		}
	}
}

func build(ctx context.Context, dir, root, overlay string) (list []*suite, output string, err error) {
	// All rooms first: one round shows the mistakes of all of them.
	if out, err := exec.CommandContext(ctx, "go", "build", "-gcflags=-e", "-overlay", overlay, "./internal/decide/...").CombinedOutput(); err != nil {
		return nil, string(out), err
	}
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", dir + "/"}
	for _, s := range suites {
		args = append(args, "./"+s.folder)
	}
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return nil, string(out), err
	}
	for _, s := range suites {
		binary := filepath.Join(dir, filepath.Base(s.folder)+".test")
		if _, err := os.Stat(binary); err == nil { // a room without tests has none
			list = append(list, &suite{folder: filepath.Join(root, s.folder), binary: binary, args: s.args})
		}
	}
	return list, "", nil
}
