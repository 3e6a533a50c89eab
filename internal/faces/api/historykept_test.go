package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/event"
)

// slowLog counts what is read of a log, and stops to answer after a while.
type slowLog struct {
	realEngine
	read  atomic.Int64
	until int64 // records that are read before it hangs; 0: it never does
}

func (e *slowLog) RecordsWith(ctx context.Context, from uint64, wanted func([]byte) bool, fn func(event.Record) error) error {
	return e.realEngine.RecordsWith(ctx, from, func(record []byte) bool {
		if e.read.Add(1) >= e.until && e.until > 0 {
			<-ctx.Done()
		}
		return wanted(record)
	}, fn)
}

// busy is a house where some quotas were created.
func busy(t *testing.T) *house {
	h := furnished(t)
	for i := range 9 {
		_, err := h.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: fmt.Sprint("research/q", i)})
		must(t, err)
	}
	return h
}

// A start reads of the log what is new since the history was kept, and answers the same.
func TestAStartReadsOnlyWhatIsNewOfTheHistory(t *testing.T) {
	first, path := busy(t), filepath.Join(t.TempDir(), "history.notes")
	ask := func() (text []string, unread uint64, read int64) {
		e := &slowLog{realEngine: realEngine{first.engine}}
		h := open(t, func(o *api.Options) { o.Engine, o.History = e, path })
		answer, err := h.Quotas.History(t.Context(), &musterv1.HistoryRequest{})
		must(t, err)
		for _, c := range answer.GetChanges() {
			text = append(text, c.String())
		}
		return text, answer.GetUnread(), e.read.Load()
	}
	want, _, all := ask()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	server, err := api.New(api.Options{Engine: realEngine{first.engine}, History: path})
	must(t, err)
	recalled := make(chan error)
	go func() { recalled <- server.Recall(ctx) }()
	for ctx.Err() == nil { // until the file is there
		if _, err := os.Stat(path); err == nil {
			end()
		}
	}
	must(t, <-recalled)
	got, unread, read := ask()
	equal(t, "lines of history", len(got), len(want))
	for i := range want {
		equal(t, "a line of history", got[i], want[i])
	}
	if unread != 0 || read > 2 || all < 5 {
		t.Errorf("the first start reads %d records, the next %d, and %d are unread; want few, and none", all, read, unread)
	}
}

// While the history is being read a question is answered with what is there, and says so.
func TestAQuestionDoesNotWaitForTheHistory(t *testing.T) {
	first := busy(t)
	e := &slowLog{realEngine: realEngine{first.engine}, until: 3}
	h := open(t, func(o *api.Options) { o.Engine = e })
	answer, err := h.Quotas.History(t.Context(), &musterv1.HistoryRequest{})
	must(t, err)
	if answer.GetUnread() == 0 {
		t.Errorf("the answer says that all was read: %v", answer)
	}
}
