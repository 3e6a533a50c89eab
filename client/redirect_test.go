package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// carrying adds what the API server on the way is shown.
type carrying struct{}

func (carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Muster-Token", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	r.Header.Set("Authorization", "Bearer of-the-kubeconfig")
	return http.DefaultTransport.RoundTrip(r)
}

// What a client asks of a server, and shows it, goes to no other server that this one names.
func TestAClientIsLedToNoOtherServer(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		t.Logf("the other server was shown %q and %q", r.Header.Get("Authorization"), r.Header.Get("Muster-Token"))
	}))
	defer other.Close()
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		first := httptest.NewServer(http.RedirectHandler(other.URL+"/muster.v1.SystemService/Status", code))
		t.Cleanup(first.Close)
		for what, o := range map[string]client.Options{
			"a client":                    {Address: first.URL},
			"one of two servers":          {Address: first.URL + "," + first.URL},
			"a way through an API server": {Address: first.URL, HTTPClient: &http.Client{Transport: carrying{}}},
		} {
			o.Token, o.Retries = "secret", -1
			if _, err := client.New(o).System.Status(t.Context(), &musterv1.StatusRequest{}); err == nil {
				t.Errorf("%s takes %d for an answer", what, code)
			}
			if n := asked.Swap(0); n > 0 {
				t.Errorf("%s: after %d the other server was asked", what, code)
			}
		}
	}
}
