package tokenreview

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
)

const audience = "muster/tiger"

// An API server's word is taken for a service account with a token for Muster, and for
// nothing else.
func TestWhoseTokenOneIs(t *testing.T) {
	train := "system:serviceaccount:oak:train"
	type status struct {
		Authenticated bool              `json:"authenticated,omitempty"`
		Audiences     []string          `json:"audiences,omitempty"`
		User          map[string]string `json:"user,omitempty"`
	}
	answers := map[string]status{
		"a workload's":       {true, []string{audience}, map[string]string{"username": train}},
		"a person's":         {true, []string{audience}, map[string]string{"username": "ada"}},
		"for the API server": {true, []string{"https://kubernetes.default.svc"}, map[string]string{"username": train}},
		"of an old server":   {true, nil, map[string]string{"username": train}}, // it does not know audiences
		"without a name":     {true, []string{audience}, map[string]string{"username": "system:serviceaccount:oak:"}},
		"one that ended":     {false, []string{audience}, map[string]string{"username": train}},
	}
	down := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Spec struct {
				Token     string   `json:"token"`
				Audiences []string `json:"audiences"`
			} `json:"spec"`
		}
		if down || json.NewDecoder(r.Body).Decode(&ask) != nil || r.URL.Path != "/apis/authentication.k8s.io/v1/tokenreviews" || len(ask.Spec.Audiences) != 1 || ask.Spec.Audiences[0] != audience {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": answers[ask.Spec.Token]})
	}))
	defer s.Close()
	c, err := of(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for token := range answers {
		namespace, name, err := c.Review(t.Context(), token, audience)
		switch good := token == "a workload's"; {
		case good && (err != nil || namespace != "oak" || name != "train"):
			t.Errorf("%s: %s/%s, %v", token, namespace, name, err)
		case !good && !errors.Is(err, ErrUnknown):
			t.Errorf("%s: %s/%s, %v", token, namespace, name, err)
		}
	}
	down = true
	if _, _, err := c.Review(t.Context(), "a workload's", audience); err == nil || errors.Is(err, ErrUnknown) {
		t.Errorf("a cluster that does not answer: %v", err)
	}
}

// An API server that was taken over sends no token on to another address.
func TestATokenIsSentNowhereElse(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	c, err := of(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if namespace, name, err := c.Review(t.Context(), "a workload's", audience); err == nil || errors.Is(err, ErrUnknown) || asked {
		t.Errorf("%s/%s, %v; the other address was asked: %t", namespace, name, err, asked)
	}
}
