package kube

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// TestWhoOnlyWatchesWritesNothing lets a client that reads try everything that writes:
// the API server hears of nothing but of what reads.
func TestWhoOnlyWatchesWritesNothing(t *testing.T) {
	var heard []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.Method+" "+r.URL.Path)
		w.WriteHeader(http.StatusOK)
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: " + s.URL + "}}]\nusers: [{name: x, user: {}}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ConnectReading(file, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, p := context.Background(), translate.Pod{Namespace: "oak", Name: "p", UID: "1"}
	if err := c.Alive(ctx); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"start": c.Start(ctx, p, "n1"), "adopt": c.Adopt(ctx, p), "evict": c.Evict(ctx, p, time.Second), "remove": c.Remove(ctx, p),
		"say": c.Say(ctx, p, true, "Started", "it is", time.Now()), "note": c.Note(ctx, p, "Started", "it is", time.Now()),
		"suspend": c.Suspend(ctx, ownerID{kind: "Job", namespace: "oak", name: "j"}, "1", true),
	} {
		if err == nil || !strings.Contains(err.Error(), "--observe") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, call := range heard {
		if !strings.HasPrefix(call, "GET ") {
			t.Errorf("the API server was asked to %s", call)
		}
	}
}
