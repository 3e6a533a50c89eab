package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	{"internal/answer/clusterlife", nil},
	{"internal/run/provision", nil},
	{"internal/run/executor", nil},
}

// suite is one compiled test, or a part of it.
type suite struct {
	folder, binary string
	args           []string
	limit          time.Duration // of processor time: three times what it takes without a mistake
	reaches        map[int]bool  // the sites that it executes without a mistake
	book           sync.Mutex    // guards what follows
	noticed        int           // mutants so far
	took           time.Duration // for all mutants so far
}

// dear is the processor time from which a test is worth a run of its own.
const dear = 150 * time.Millisecond

// What became of a mutant.
const (
	noticed   = "noticed"
	unnoticed = "no test notices it"
	unreached = "no test reaches it"
)

// measured takes the suites apart into their dear tests and the others, and runs each part without a
// mistake, for its time limit and for the sites that it reaches.
func measured(ctx context.Context, jobs int, list []*suite) ([]*suite, error) {
	parts, errs := make([][]*suite, len(list)), make([]error, len(list))
	each(jobs, places(len(list)), func(i int) {
		parts[i], errs[i] = list[i].measured(ctx)
	})
	return slices.Concat(parts...), errors.Join(errs...)
}

// measured takes one suite apart, and measures its parts.
func (s *suite) measured(ctx context.Context) ([]*suite, error) {
	parts, err := s.apart(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if _, err := part.measure(ctx); err != nil {
			return nil, err
		}
		fmt.Printf("%s: %s, reaches %d sites\n", part, part.took.Round(10*time.Millisecond), len(part.reaches))
	}
	return parts, nil
}

func (s *suite) String() string {
	return strings.Join(append([]string{filepath.Base(s.binary)}, s.args...), " ")
}

// apart runs a suite without a mistake, and splits it into a part for each dear test and one for the others.
func (s *suite) apart(ctx context.Context) (parts []*suite, err error) {
	s.limit = 10 * time.Minute
	out, err := s.measure(ctx, "-test.v")
	if err != nil {
		return nil, err
	}
	if len(s.reaches) == 0 {
		return nil, nil
	}
	own := dearTests(out, s.took)
	if len(own) == 0 {
		return []*suite{s}, nil
	}
	for _, test := range own {
		parts = append(parts, s.with("-test.run="+test))
	}
	return append(parts, s.with("-test.skip="+strings.Join(own, "|"))), nil
}

var ended = regexp.MustCompile(`(?m)^--- PASS: (\S+) \((\S+)s\)$`)

// dearTests matches the dear ones of the tests that an output of -test.v tells of. It says how long they
// took on a busy machine, so only their share of the suite's processor time counts.
func dearTests(output string, took time.Duration) (list []string) {
	seconds, all := map[string]float64{}, 0.0
	for _, m := range ended.FindAllStringSubmatch(output, -1) {
		seconds[m[1]], _ = strconv.ParseFloat(m[2], 64)
		all += seconds[m[1]]
	}
	for test, s := range seconds {
		if s/all*took.Seconds() > dear.Seconds() {
			list = append(list, "^"+test+"$")
		}
	}
	slices.Sort(list)
	return list
}

func (s *suite) with(arg string) *suite {
	return &suite{folder: s.folder, binary: s.binary, args: append(slices.Clone(s.args), arg), limit: s.limit}
}

// measure runs a part without a mistake.
func (s *suite) measure(ctx context.Context, args ...string) (output string, err error) {
	file := s.binary + ".reached"
	defer os.Remove(file)
	output, ok, took := s.run(ctx, 0, args, "MUSTER_REACHED="+file)
	if !ok {
		return "", fmt.Errorf("%s fails without a mistake:\n%s", s, output)
	}
	s.limit, s.took = 3*took+3*time.Second, took
	s.reaches, err = readReached(file)
	return output, err
}

// readReached reads the list that package mutant wrote; it wrote none where no site was reached.
func readReached(file string) (map[int]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	reached := map[int]bool{}
	for word := range strings.FieldsSeq(string(data)) {
		id, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		reached[id] = true
	}
	return reached, nil
}

// try runs the suites that reach a site, until one notices the mutant. The others run the same with
// the mistake and without: a mutant differs from the right program only from its site on.
func try(ctx context.Context, all []*suite, id int) (verdict string, by *suite) {
	list := reaching(all, id)
	if len(list) == 0 {
		return unreached, nil
	}
	for _, s := range list {
		_, ok, took := s.run(ctx, id, []string{"-test.failfast"})
		if s.note(!ok, took); !ok {
			return noticed, s
		}
	}
	return unnoticed, nil
}

// note counts a run.
func (s *suite) note(failed bool, took time.Duration) {
	s.book.Lock()
	defer s.book.Unlock()
	if s.took += took; failed {
		s.noticed++
	}
}

// reaching lists the suites that reach a site; first the one that has noticed the most in a second.
func reaching(all []*suite, id int) (list []*suite) {
	for _, s := range all {
		if s.reaches[id] {
			list = append(list, s)
		}
	}
	rates := map[*suite]float64{} // others count meanwhile
	for _, s := range list {
		rates[s] = s.rate()
	}
	slices.SortStableFunc(list, func(a, b *suite) int { return cmp.Compare(rates[b], rates[a]) })
	return list
}

// rate is how many mutants the suite notices in a second; one that has not run yet is taken for sure to notice.
func (s *suite) rate() float64 {
	s.book.Lock()
	defer s.book.Unlock()
	return float64(s.noticed+1) / max(0.01, s.took.Seconds())
}

// run runs a suite as a mutant until its first failure or its time limit. The limit is on
// processor time, which a busy machine does not lengthen.
func (s *suite) run(ctx context.Context, id int, args []string, env ...string) (output string, ok bool, took time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	cmd := s.command(ctx, id, args...)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.Output()
	return string(out), err == nil, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func (s *suite) command(ctx context.Context, id int, args ...string) *exec.Cmd {
	shell := fmt.Sprintf(`ulimit -t %d && exec "$0" "$@"`, int(s.limit.Seconds()))
	args = slices.Concat([]string{"-c", shell, s.binary, "-test.short"}, args, s.args)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir, cmd.Env = s.folder, append(os.Environ(), fmt.Sprintf("MUSTER_MUTANT=%d", id))
	return cmd
}
