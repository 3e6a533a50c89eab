package server

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fullDisk is a journal that says when it is written to, and writes once it may.
type fullDisk struct {
	journal.Journal
	comes, may chan struct{}
}

func (j fullDisk) Append(ctx context.Context, entries []journal.Entry) error {
	j.comes <- struct{}{}
	<-j.may
	return j.Journal.Append(ctx, entries)
}

// A scrape has nothing to do with the state that decisions are made on: it neither waits for them nor for the disk, and
// they do not wait for it.
func TestAScrapeAndADecisionDoNotMeet(t *testing.T) {
	disk := fullDisk{memory.New(), make(chan struct{}), make(chan struct{})}
	e, err := engine.Open(t.Context(), engine.Options{Journal: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	e.Look(func(*fleet.State) {}) // the first look copies the state, as the first call of a server does
	decided, scraped := make(chan error), make(chan struct{})
	go func() {
		_, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "a"}, Actor: core.System, Reason: "a test"})
		decided <- err
	}()
	<-disk.comes // it is decided, and not durable
	go func() {
		metricsOf(e).Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil))
		close(scraped)
	}()
	select {
	case <-scraped:
	case <-time.After(10 * time.Second):
		t.Error("a scrape waits for the disk that a decision waits for")
	}
	close(disk.may)
	if err := <-decided; err != nil {
		t.Error(err)
	}
}
