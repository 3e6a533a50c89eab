package ask

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// answering answers every question with a text of a size.
type answering int

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", int(a)))), ContentLength: int64(a), Request: r}, nil
}

func put(t *testing.T, c *cache, reader, question string) {
	t.Helper()
	send(t, c, reader, musterv1connect.CapacityServiceNodesProcedure, question)
}

// send sends a call of a reader's.
func send(t *testing.T, c *cache, reader, procedure, body string) {
	t.Helper()
	ctx := As(context.Background(), Reader{Token: reader})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://muster"+procedure, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// What is kept of answers is bounded in number and in bytes, and who asks most gives way.
func TestKeptAnswersAreBounded(t *testing.T) {
	c := newCache(answering(1<<20), func() uint64 { return 1 })
	c.entries.swept = time.Now().Add(time.Hour) // what is over leaves by itself, which is another matter
	put(t, c, "ada", "hers")
	for i := range 3 * maxEntries {
		put(t, c, "bob", fmt.Sprint(i))
	}
	if n := len(c.entries.kept); n > maxEntries || c.entries.weighs > maxBytes {
		t.Errorf("%d answers of %d MB are kept", n, c.entries.weighs>>20)
	}
	if !c.keepsOf("ada") {
		t.Error("the other reader's answer gave way")
	}
}

// Who changes something is given nothing of before. What is kept for others stays, however many forms one reader sends.
func TestAChangeHasItsReaderAskAnew(t *testing.T) {
	asked := map[string]int{}
	c := newCache(tallied(asked), func() uint64 { return 1 })
	put(t, c, "ada", "question")
	put(t, c, "bob", "question")
	send(t, c, "bob", musterv1connect.WorkloadServiceCancelProcedure, "{}")
	put(t, c, "ada", "question")
	put(t, c, "bob", "question")
	if asked["ada"] != 1 || asked["bob"] != 3 {
		t.Errorf("asked: %v", asked)
	}
}

// tallied counts what is asked, by reader.
type tallied map[string]int

func (a tallied) RoundTrip(r *http.Request) (*http.Response, error) {
	who, _ := r.Context().Value(readerKey{}).(Reader)
	a[who.Token]++
	return answering(1).RoundTrip(r)
}

func (c *cache) keepsOf(reader string) bool {
	for _, p := range c.entries.kept {
		if strings.Contains(p.thing.reader, reader) {
			return true
		}
	}
	return false
}

// counting counts the questions that reach it, and a record is written while it answers each.
type counting struct{ asked, last uint64 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked++
	c.last++
	time.Sleep(2 * maxAge)
	return answering(1).RoundTrip(r)
}

// Where the fleet changes all the time, an answer that takes long is kept as long as others of its kind; the same
// question without a search is asked anew.
func TestTheEndOfARolloutIsAStudy(t *testing.T) {
	for search, want := range map[*durationpb.Duration]uint64{nil: 1, durationpb.New(time.Second): 1, durationpb.New(0): 2} {
		synctest.Test(t, func(t *testing.T) {
			api := &counting{}
			c := newCache(api, func() uint64 { return api.last })
			body, err := proto.Marshal(&musterv1.GetMaintenanceRequest{Rollout: "driver", Search: search})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://muster"+musterv1connect.MaintenanceServiceGetMaintenanceProcedure, bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				res, err := c.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
			}
			if api.asked != want {
				t.Errorf("a search of %v was asked %d times, want %d", search, api.asked, want)
			}
		})
	}
}
