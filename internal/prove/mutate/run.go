package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suites are the tests that a mistake must be noticed by, with their arguments.
var suites = []struct {
	folder string
	args   []string
}{
	{"internal/decide/core", nil},
	{"internal/decide/placement", nil},
	{"internal/decide/promise", nil},
	{"internal/decide/promise/buffer", nil},
	{"internal/decide/promise/trial", nil},
	{"internal/decide/haircut", nil},
	{"internal/decide/health", nil},
	{"internal/decide/health/adapt", nil},
	{"internal/decide/invariant", nil},
	{"internal/decide/access", nil},
	{"internal/decide/maintenance", nil},
	{"internal/decide/buildout", nil},
	{"internal/prove/scenario", nil},
	{"internal/prove/judge", []string{"-seed=1", "-cases=3000"}},
	{"internal/prove/oracle", []string{"-seed=1", "-stories=60"}},
	{"internal/answer/explain", nil},
}

// suite is one compiled test.
type suite struct {
	folder, binary string
	args           []string
	limit          time.Duration // of processor time: three times what it takes without a mistake
}

func main() {
	n := flag.Int("n", 300, "how many mutants are tried")
	seed := flag.Uint64("seed", 0, "of what is drawn; 0: a new one")
	folder := flag.String("in", "internal/decide", "where mistakes are made")
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1 << 32)
	}
	if err := mutate(context.Background(), *folder, *n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate(ctx context.Context, folder string, n int, seed uint64) error {
	all, err := sitesIn(folder)
	if err != nil {
		return err
	}
	fmt.Printf("-seed %d -n %d: %d sites\n", seed, n, len(all))
	list := draw(rand.New(rand.NewPCG(seed, 0)), all, n+n/4) // some will not compile
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
	for i, s := range list {
		if dropped[i] || tried == n {
			continue
		}
		tried++
		by := catch(ctx, ownFirst(compiled, s.File), i+1)
		if by != "" {
			caught++
		} else {
			fmt.Printf("SURVIVED %s:%d: %s: %.100s\n", s.File, s.Line, s.Kind, s.Was)
		}
		if tried%10 == 0 {
			fmt.Printf("%d tried, %d caught\n", tried, caught)
		}
	}
	fmt.Printf("-seed %d: %d of %d mutants caught, %.1f %%\n", seed, caught, tried, 100*float64(caught)/float64(max(1, tried)))
	return nil
}

// compile builds all suites, and drops sites that do not compile.
func compile(ctx context.Context, dir string, list []site) ([]suite, map[int]bool, error) {
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

func build(ctx context.Context, dir, root, overlay string) (list []suite, output string, err error) {
	// All rooms first: one round shows the mistakes of all of them.
	if out, err := exec.CommandContext(ctx, "go", "build", "-gcflags=-e", "-overlay", overlay, "./internal/decide/...").CombinedOutput(); err != nil {
		return nil, string(out), err
	}
	for _, s := range suites {
		binary := filepath.Join(dir, strings.ReplaceAll(s.folder, "/", "_")+".test")
		out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./"+s.folder).CombinedOutput()
		if err != nil {
			return nil, string(out), err
		}
		if _, err := os.Stat(binary); err == nil { // a room without tests has none
			list = append(list, suite{folder: filepath.Join(root, s.folder), binary: binary, args: s.args})
		}
	}
	return list, "", nil
}

// measured runs each suite without a mistake, for its time limit.
func measured(ctx context.Context, list []suite) ([]suite, error) {
	for i := range list {
		list[i].limit = 10 * time.Minute
		ok, took := list[i].passes(ctx, 0)
		if !ok {
			return nil, errors.New(list[i].folder + " fails without a mistake")
		}
		list[i].limit = 3*took + 10*time.Second
		fmt.Printf("%s: %s\n", filepath.Base(list[i].binary), took.Round(100*time.Millisecond))
	}
	slices.SortStableFunc(list, func(a, b suite) int { return cmp.Compare(a.limit, b.limit) })
	return list, nil
}

// passes runs a suite as a mutant until its first failure or its time limit. The limit is on
// processor time, which a busy machine does not lengthen.
func (s suite) passes(ctx context.Context, id int) (ok bool, took time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	args := append([]string{"-c", fmt.Sprintf(`ulimit -t %d && exec "$0" "$@"`, int(s.limit.Seconds())), s.binary, "-test.failfast", "-test.short"}, s.args...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir, cmd.Env = s.folder, append(os.Environ(), fmt.Sprintf("MUSTER_MUTANT=%d", id))
	err := cmd.Run()
	return err == nil, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// ownFirst puts the suite of a file's own room before all others: it notices most mistakes.
func ownFirst(list []suite, file string) []suite {
	list = slices.Clone(list)
	own := slices.IndexFunc(list, func(s suite) bool { return strings.HasSuffix(s.folder, "/"+filepath.Dir(file)) })
	for ; own > 0; own-- {
		list[own-1], list[own] = list[own], list[own-1]
	}
	return list
}

// catch names the first suite that notices a mutant; "": none.
func catch(ctx context.Context, list []suite, id int) string {
	for _, t := range list {
		if ok, _ := t.passes(ctx, id); !ok {
			return t.folder
		}
	}
	return ""
}
