package kube

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// An API server that was taken over sends this one to no other address, and shows it no token.
func TestAnAPIServerLeadsNowhereElse(t *testing.T) {
	for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		asked := ""
		other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
		}))
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/latest/meta-data", code)
		}))
		c, err := connect(&rest.Config{Host: s.URL, BearerToken: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Alive(t.Context()); err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
			t.Errorf("%d: %v", code, err)
		}
		if asked != "" {
			t.Errorf("%d: the other server was asked: %s", code, asked)
		}
		s.Close()
		other.Close()
	}
}
