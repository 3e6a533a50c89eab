package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/journal/named"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestRestartsFromManyRecords says how long a server takes to find a fleet again in a log of
// MUSTER_RECORDS records, one a second, each with an idempotency key, and how much memory it has then. The
// first start has the log alone; the second has the snapshots and the files that the first left.
// MUSTER_REPLICA=1 measures PostgreSQL in the place of SQLite. Without MUSTER_RECORDS it is skipped.
func TestRestartsFromManyRecords(t *testing.T) {
	n := uint64(fromEnv(t, "MUSTER_RECORDS", 0))
	if n == 0 {
		t.Skip("MUSTER_RECORDS=10000000 measures it, which takes minutes")
	}
	dir := t.TempDir()
	name, args := dir, []string{"up", "--data", dir, "--listen", freeAddress(t)}
	if fromEnv(t, "MUSTER_REPLICA", 0) == 1 {
		name = pgtest.Start(t, "fsync = off").Address()
		args = append(args, "--journal", name)
	}
	began := time.Now()
	if err := manyRecords(t.Context(), name, n); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d records are made in %v", n, time.Since(began).Round(time.Second))
	for _, with := range []string{"the log alone", "snapshots and files of the last start"} {
		began := time.Now()
		cmd := exec.Command("muster", args...)
		pipe, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		lines := bufio.NewScanner(pipe)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), ready) {
			said += lines.Text() + "\n"
		}
		t.Logf("with %s a server is ready after %.2f s, in %d MB\n%s", with, time.Since(began).Seconds(), resident(cmd.Process.Pid), said)
		go func() { _, _ = io.Copy(io.Discard, pipe) }()
		time.Sleep(2 * time.Second)
		t.Logf("two seconds later it has %d MB", resident(cmd.Process.Pid))
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
}

// manyRecords writes a log of a fleet to which workloads come and go that find no room.
func manyRecords(ctx context.Context, name string, n uint64) error {
	at := fleet.InstantOf(time.Now().Add(-time.Duration(n) * time.Second))
	template := memory.New()
	e, err := engine.Open(ctx, engine.Options{Journal: template, Synchronous: true, Now: func() fleet.Instant { return at }})
	if err != nil {
		return err
	}
	for i, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}},
		core.CreateQuota{Path: "oak"},
		core.Submit{Spec: tooLarge("w1")},
		core.Cancel{Namespace: "bench", Name: "w1"},
	} {
		if _, err := e.Do(ctx, core.Request{Command: c, Actor: core.System, Key: fmt.Sprintf("at-%08x-%016d", int64(at)/1e9, i)}); err != nil {
			return fmt.Errorf("%T: %w", c, err)
		}
	}
	var first []journal.Entry
	if err := template.Read(ctx, 1, func(en journal.Entry) error { first = append(first, en); return nil }); err != nil {
		return err
	}
	j, err := named.Write(ctx, name)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.Append(ctx, first); err != nil {
		return err
	}
	last := uint64(len(first))
	come, err := event.Decode(first[last-2].Data)
	if err != nil {
		return err
	}
	left, err := event.Decode(first[last-1].Data)
	if err != nil {
		return err
	}
	var group []journal.Entry
	for seq, id := last+1, uint64(2); seq <= n; seq++ {
		rec := come
		if (seq-last)%2 == 0 {
			rec = left
		}
		rec.Seq, rec.At = seq, at.Add(time.Duration(seq)*time.Second)
		rec.Key = fmt.Sprintf("at-%08x-%016d", int64(rec.At)/1e9, seq)
		rec.Events = append([]event.Event(nil), rec.Events...)
		for i, is := range rec.Events {
			switch is := is.(type) {
			case event.WorkloadSubmitted:
				is.ID, is.Spec.Name = id, fmt.Sprint("w", id)
				rec.Events[i] = is
			case event.WorkloadCancelled:
				is.ID = id
				rec.Events[i] = is
				id++
			}
		}
		data, err := event.Encode(rec)
		if err != nil {
			return err
		}
		if group = append(group, journal.Entry{Seq: seq, At: int64(rec.At), Data: event.Pack(data)}); len(group) == 8192 || seq == n {
			if err := j.Append(ctx, group); err != nil {
				return err
			}
			group = group[:0]
		}
	}
	return nil
}

// tooLarge is work that waits, since no fleet of the test has room for it.
func tooLarge(name string) fleet.Spec {
	s := small(name)
	s.Target = "oak"
	s.Pools[0].GPUs, s.Pools[0].Min, s.Pools[0].Max = 8, 100, 100
	return s
}
