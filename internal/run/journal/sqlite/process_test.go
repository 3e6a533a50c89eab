package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// The tests here need real processes. The test program plays them itself: with
// this variable set it does not test but writes to the journal that it names,
// see write.
const playWriter = "JOURNAL_TEST_WRITER"

func TestMain(m *testing.M) {
	if job := os.Getenv(playWriter); job != "" {
		write(job)
		return
	}
	os.Exit(m.Run())
}

// write appends groups of three entries marked with name as fast as it can, up
// to so many groups, and prints the first number of each acknowledged group.
func write(job string) {
	var name, path string
	var groups int
	if _, err := fmt.Sscanf(job, "%s %d %q", &name, &groups, &path); err != nil {
		panic(err)
	}
	j, err := sqlite.Open(ctx, path, sqlite.Options{Wait: time.Minute})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	defer j.Close()
	for groups > 0 {
		seq, err := appendGroup(j, name)
		var fenced *journal.FencedError
		switch {
		case err == nil:
			fmt.Println(seq)
			groups--
		case !errors.As(err, &fenced):
			fmt.Println("error:", err)
			return
		}
	}
}

const groupSize = 3

func appendGroup(j journal.Journal, mark string) (first uint64, err error) {
	last, _, err := j.Last(ctx)
	if err != nil {
		return 0, err
	}
	var group []journal.Entry
	for i := range uint64(groupSize) {
		group = append(group, journal.Entry{Seq: last + 1 + i, Data: []byte(mark)})
	}
	return last + 1, j.Append(ctx, group)
}

// process is a writer in a process of its own.
type process struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	firsts []uint64 // the acknowledged groups
}

func startWriter(t *testing.T, name, path string, groups int) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %q", playWriter, name, groups, path))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return &process{cmd: cmd, lines: bufio.NewScanner(out)}
}

// next waits for the next acknowledged group; false at the end.
func (p *process) next(t *testing.T) bool {
	if !p.lines.Scan() {
		return false
	}
	seq, err := strconv.ParseUint(p.lines.Text(), 10, 64)
	if err != nil {
		t.Errorf("a writer says %q", p.lines.Text())
		return false
	}
	p.firsts = append(p.firsts, seq)
	return true
}

// Several processes open the same new file at once and race for every number.
func TestProcessesNeverMerge(t *testing.T) {
	const writers, groups = 4, 40
	path := filepath.Join(t.TempDir(), "fleet.db")
	var all []*process
	for i := range writers {
		all = append(all, startWriter(t, fmt.Sprint("writer-", i), path, groups))
	}
	accepted := map[uint64]string{}
	for i, p := range all {
		for p.next(t) {
		}
		must(t, p.cmd.Wait())
		for _, first := range p.firsts {
			for seq := first; seq < first+groupSize; seq++ {
				if before, twice := accepted[seq]; twice {
					t.Errorf("entry %d was acknowledged to %s and to writer-%d", seq, before, i)
				}
				accepted[seq] = fmt.Sprint("writer-", i)
			}
		}
	}
	wantMarks(t, path, accepted, writers*groups*groupSize)
}

// wantMarks demands that the log has what was acknowledged, to whom it was, and
// as many entries.
func wantMarks(t *testing.T, path string, accepted map[uint64]string, entries int) {
	t.Helper()
	j := mustOpen(t, path, sqlite.Options{FullCheck: true})
	n := 0
	must(t, j.Read(ctx, 1, func(e journal.Entry) error {
		n++
		if mark, ok := accepted[e.Seq]; ok && mark != string(e.Data) {
			t.Errorf("entry %d is of %s, acknowledged was %s", e.Seq, e.Data, mark)
		}
		delete(accepted, e.Seq)
		return nil
	}))
	if n != entries || len(accepted) > 0 {
		t.Errorf("%d entries in the log, want %d; lost: %v", n, entries, accepted)
	}
	mustClose(t, j)
}

// A writer is killed again and again at random moments. What it was told is
// durable is there; what it was not told is there whole or not at all.
func TestKilledWritersLoseNothing(t *testing.T) {
	seed, kills := rand.Uint64(), 25
	t.Logf("seed %d, %d kills", seed, kills)
	rng := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "fleet.db")
	acknowledged := uint64(0)
	for range kills {
		p := startWriter(t, "victim", path, 1_000_000)
		for range rng.IntN(20) {
			p.next(t)
		}
		delay := time.Duration(rng.IntN(3_000)) * time.Microsecond
		killer := time.AfterFunc(delay, func() { _ = p.cmd.Process.Kill() })
		for p.next(t) {
		}
		killer.Stop()
		_ = p.cmd.Wait()
		if n := len(p.firsts); n > 0 {
			acknowledged = p.firsts[n-1] + groupSize - 1
		}
		wantAtLeast(t, path, acknowledged)
	}
}

// wantAtLeast demands an undamaged log of whole groups that reaches last.
func wantAtLeast(t *testing.T, path string, last uint64) {
	t.Helper()
	j := mustOpen(t, path, sqlite.Options{FullCheck: true})
	got, _, err := j.Last(ctx)
	if err != nil || got < last || got%groupSize != 0 {
		t.Fatalf("the log ends at %d (%v), acknowledged was %d, in groups of %d", got, err, last, groupSize)
	}
	mustClose(t, j)
}

// A reader in another process than the writer follows it.
func TestReaderFollowsAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.db")
	p := startWriter(t, "writer", path, 50)
	if !p.next(t) {
		t.Fatal("the writer wrote nothing")
	}
	reader := mustOpen(t, path, sqlite.Options{ReadOnly: true})
	for more := true; more; more = p.next(t) {
		want := p.firsts[len(p.firsts)-1] + groupSize - 1
		got := uint64(0)
		must(t, reader.Read(ctx, 1, func(e journal.Entry) error { got = e.Seq; return nil }))
		if got < want || got%groupSize != 0 {
			t.Fatalf("read up to %d, acknowledged was %d", got, want)
		}
	}
	must(t, p.cmd.Wait())
}
