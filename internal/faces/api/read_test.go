package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func TestEveryFigureCanBeAskedForAtAPastMoment(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	hash := h.hash()
	h.later(time.Hour)
	_, err := h.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 64})
	must(t, err)
	h.submit(gang("late", "research/oak", 1))
	then := timestamppb.New(noon.Add(30 * time.Minute))

	q, err := h.Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{Path: "research/oak", AsOf: then})
	must(t, err)
	equal(t, "assigned then", q.GetQuota().GetGrants()[0].GetAssigned(), 32)
	c, err := h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: then})
	must(t, err)
	equal(t, "assigned then, in all", c.GetFleet().GetAssigned(), 32)
	equal(t, "moment of the answer", c.GetSeen().GetAt().AsTime(), then.AsTime())
	w, err := h.Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{AsOf: then})
	must(t, err)
	equal(t, "workloads then", len(w.GetWorkloads()), 0)
	s, err := h.System.StateHash(ctx, &musterv1.StateHashRequest{AsOf: then})
	must(t, err)
	equal(t, "hash then", s.GetHash(), hash)
	changes, err := h.Quotas.History(ctx, &musterv1.HistoryRequest{Quota: "research/oak", AsOf: then})
	must(t, err)
	equal(t, "lines of history then", len(changes.GetChanges()), 2)
	events, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: then})
	must(t, err)
	equal(t, "records then", len(events.GetRecords()), 1)

	_, err = h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{AsOf: timestamppb.New(noon.Add(2 * time.Hour))})
	wantMistake(t, err, "as_of", "still to come")
}

func TestEventsAreListedInPages(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	for _, name := range []string{"a", "b", "c", "d"} {
		h.submit(gang(name, "flex", 1))
	}
	last, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{Limit: 2})
	must(t, err)
	equal(t, "the last one", last.GetRecords()[1].GetSeq(), h.version())
	equal(t, "how many", len(last.GetRecords()), 2)
	first, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{From: 1, Limit: 3})
	must(t, err)
	equal(t, "where to go on", first.GetNext(), 4)
	only, err := h.Events.ListEvents(ctx, &musterv1.ListEventsRequest{Kinds: []string{"cluster."}})
	must(t, err)
	equal(t, "records about clusters", len(only.GetRecords()), 1)
	equal(t, "events of them", len(only.GetRecords()[0].GetEvents()), 1)
	equal(t, "why", only.GetRecords()[0].GetReason(), "the first fleet")
}

// A watcher whose connection breaks again and again hears every record once, in order.
func TestAWatchGoesOnWhereItWas(t *testing.T) {
	h := furnished(t)
	var streams atomic.Int32
	c := client.New(client.Options{Address: h.url, HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && strings.HasSuffix(r.URL.Path, "/Watch") {
			streams.Add(1)
			answer.Body = &brittle{answer.Body, 3000}
		}
		return answer, err
	})}})
	const workloads = 40
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	heard := make(chan error, 1)
	var seqs []uint64
	last := h.version() + workloads
	go func() {
		heard <- c.Watch(ctx, 1, nil, func(r *musterv1.Record) error {
			if seqs = append(seqs, r.GetSeq()); r.GetSeq() == last {
				return enough
			}
			return nil
		})
	}()
	for i := range workloads {
		w := gang("w"+string(rune('a'+i%26))+string(rune('a'+i/26)), "research/oak", 1)
		h.submit(w)
	}
	if err := <-heard; !errors.Is(err, enough) {
		t.Fatalf("the watch ended with %v after %d records", err, len(seqs))
	}
	for i, seq := range seqs {
		if seq != uint64(i+1) {
			t.Fatalf("record %d came in place %d", seq, i+1)
		}
	}
	if streams.Load() < 2 {
		t.Errorf("the connection never broke: the test proves nothing")
	}
}

// brittle breaks after so many bytes.
type brittle struct {
	io.ReadCloser
	left int
}

func (b *brittle) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func TestAWatchFromNowHearsWhatHappensNext(t *testing.T) {
	h := furnished(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	stream, err := h.Events.Watch(ctx, &musterv1.WatchRequest{From: h.version() + 1, Kinds: []string{"workload.submitted"}})
	must(t, err)
	_, err = h.Quotas.CreateQuota(ctx, &musterv1.CreateQuotaRequest{Path: "research/elm"})
	must(t, err)
	h.submit(gang("a", "flex", 1))
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	equal(t, "first record", stream.Msg().GetRecord().GetSeq(), h.version())
	equal(t, "its events", len(stream.Msg().GetRecord().GetEvents()), 1)
	must(t, stream.Close())
}
