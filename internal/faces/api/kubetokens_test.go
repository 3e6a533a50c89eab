package api_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// reviewer is a cluster that knows one token.
type reviewer struct {
	good  string
	asked int
	down  bool
}

// noSuchToken is a cluster's word that it knows no such token.
type noSuchToken struct{}

func (noSuchToken) Error() string { return "unknown" }
func (noSuchToken) Refused() bool { return true }

func (r *reviewer) Review(_ context.Context, token, audience string) (namespace, name string, err error) {
	r.asked++
	switch {
	case r.down:
		return "", "", errors.New("no route to host")
	case token != r.good || audience != "muster/tiger":
		return "", "", noSuchToken{}
	}
	return "oak", "train", nil
}

// kubeToken is a token that claims what it likes.
func kubeToken(claims, signature string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + signature
}

// A workload is who its cluster says it is. Another cluster is not shown its token.
func TestAWorkloadShowsTheTokenOfItsCluster(t *testing.T) {
	now := noon
	ofTiger := kubeToken(`{"aud":["muster/tiger"],"sub":"system:serviceaccount:oak:train"}`, "s")
	tiger, lion := &reviewer{good: ofTiger}, &reviewer{good: ofTiger}
	k := api.NewKubeTokens(map[string]api.Reviewer{"tiger": tiger, "lion": lion}, func() time.Time { return now })
	for range 3 {
		who, err := k.Identify(bearing(t, ofTiger))
		must(t, err)
		equal(t, "principal", who.Principal.String(), "kubernetes:oak/train@tiger")
		equal(t, "operator", who.Operator, false)
	}
	equal(t, "questions to its cluster", tiger.asked, 1)
	equal(t, "questions to the other", lion.asked, 0)
	for what, token := range map[string]string{
		"for the API server":        kubeToken(`{"aud":["https://kubernetes.default.svc"],"sub":"system:serviceaccount:oak:train"}`, "s"),
		"for two":                   kubeToken(`{"aud":["muster/tiger","muster/lion"],"sub":"system:serviceaccount:oak:train"}`, "s"),
		"of an unknown cluster":     kubeToken(`{"aud":["muster/puma"],"sub":"system:serviceaccount:oak:train"}`, "s"),
		"of a person of a provider": kubeToken(`{"aud":["muster/tiger"],"sub":"ada"}`, "s"),
		"that is none":              "a.b.c",
	} {
		if _, err := k.Identify(bearing(t, token)); !errors.Is(err, api.ErrNotMine) {
			t.Errorf("a token %s: %v", what, err)
		}
	}
	forged := kubeToken(`{"aud":["muster/tiger"],"sub":"system:serviceaccount:oak:admin"}`, "s")
	for range 3 {
		if _, err := k.Identify(bearing(t, forged)); err == nil || errors.Is(err, api.ErrNotMine) {
			t.Errorf("a forged token: %v", err)
		}
	}
	equal(t, "questions about a forged token, and the good one", tiger.asked, 2)
	tiger.down = true
	for range 5 {
		now = now.Add(11 * time.Second)
		_, err := k.Identify(bearing(t, ofTiger))
		must(t, err) // it goes on while the cluster rests
	}
	now = now.Add(6 * time.Second)
	if _, err := k.Identify(bearing(t, ofTiger)); err == nil || strings.Contains(err.Error(), "no route") {
		t.Errorf("a token is taken that its cluster did not confirm for a minute, or the caller is told why: %v", err)
	}
}

// A workload's token that its cluster takes back is refused within ten seconds.
func TestATokenThatItsClusterTakesBackIsRefused(t *testing.T) {
	now := noon
	token := kubeToken(`{"aud":["muster/tiger"],"sub":"system:serviceaccount:oak:train"}`, "s")
	tiger := &reviewer{good: token}
	k := api.NewKubeTokens(map[string]api.Reviewer{"tiger": tiger}, func() time.Time { return now })
	_, err := k.Identify(bearing(t, token))
	must(t, err)
	tiger.good = "another"
	now = now.Add(8 * time.Second)
	if _, err := k.Identify(bearing(t, token)); err == nil {
		t.Error("a token that was taken back 8 s ago is good")
	}
}
