package ask

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// answering answers every question with a text of a size.
type answering int

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", int(a)))), Request: r}, nil
}

func put(t *testing.T, c *cache, reader, question string) {
	t.Helper()
	ctx := As(context.Background(), Reader{Token: reader})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://muster"+musterv1connect.CapacityServiceNodesProcedure, strings.NewReader(question))
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
	put(t, c, "ada", "hers")
	for i := range 3 * maxEntries {
		put(t, c, "bob", fmt.Sprint(i))
	}
	bytes, counted, hers := 0, 0, false
	for _, k := range c.entries {
		bytes += len(k.body)
		counted += k.weight()
		hers = hers || strings.Contains(k.reader, "ada")
	}
	if len(c.entries) > maxEntries || bytes > maxBytes {
		t.Errorf("%d answers of %d MB are kept", len(c.entries), bytes>>20)
	}
	if !hers {
		t.Error("the other reader's answer gave way")
	}
	if c.bytes != counted {
		t.Errorf("%d bytes are counted for %d", c.bytes, counted)
	}
	for _, k := range c.entries {
		c.drop(k)
	}
	if c.bytes != 0 {
		t.Errorf("%d bytes are counted of nothing", c.bytes)
	}
}
