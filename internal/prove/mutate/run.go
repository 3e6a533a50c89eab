package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// options say which mistakes are made.
type options struct {
	folder string
	n      int
	seed   uint64
	only   []int // the numbers of the sites that are tried; none: all
}

func main() {
	o := options{}
	flag.IntVar(&o.n, "n", 300, "how many mutants are tried")
	flag.Uint64Var(&o.seed, "seed", 0, "of what is drawn; 0: a new one")
	flag.StringVar(&o.folder, "in", "internal/decide", "where mistakes are made")
	flag.Func("only", "try these mutants of the seed only: their numbers, with commas between", o.readOnly)
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
		id, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		o.only = append(o.only, id)
	}
	return nil
}

func mutate(ctx context.Context, o options) error {
	all, err := sitesIn(o.folder)
	if err != nil {
		return err
	}
	fmt.Printf("-seed %d -n %d: %d sites\n", o.seed, o.n, len(all))
	list := draw(rand.New(rand.NewPCG(o.seed, 0)), all, o.n+o.n/4) // some will not compile
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	compiled, dropped, err := compile(ctx, dir, list)
	if err != nil {
		return err
	}
	if compiled, err = measured(ctx, compiled); err != nil {
		return err
	}
	tried, caught := 0, 0
	for _, i := range o.wanted(len(list), dropped) {
		tried++
		if verdict := try(ctx, compiled, i+1); verdict == noticed {
			caught++
		} else {
			fmt.Printf("SURVIVED (%s) %d: %s\n", verdict, i+1, list[i])
		}
		if tried%10 == 0 {
			fmt.Printf("%d tried, %d caught\n", tried, caught)
		}
	}
	fmt.Printf("-seed %d: %d of %d mutants caught, %.1f %%\n", o.seed, caught, tried, 100*float64(caught)/float64(max(1, tried)))
	return nil
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
func compile(ctx context.Context, dir string, list []site) ([]*suite, map[int]bool, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return nil, nil, err
	}
	dropped := map[int]bool{}
	for {
		file, err := overlay(dir, root, strings.TrimSpace(string(out)), list, dropped)
		if err != nil {
			return nil, nil, err
		}
		compiled, output, err := build(ctx, dir, root, file)
		if err == nil {
			fmt.Printf("%d of %d sites compile\n", len(list)-len(dropped), len(list))
			return compiled, dropped, nil
		}
		if blamed(output, list, dropped) == 0 {
			return nil, nil, fmt.Errorf("%w\n%s", err, output)
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
