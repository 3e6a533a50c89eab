package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/server/leadership"
)

// A server whose lease has run out by its own clock writes nothing to clusters, and goes on once
// the lease is renewed. What it reads it reads at all times.
func TestAServerWhoseLeaseHasRunOutWritesNothingToClusters(t *testing.T) {
	var writes, reads atomic.Int64
	cluster := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			reads.Add(1)
		} else {
			writes.Add(1)
		}
	}))
	t.Cleanup(cluster.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	write(t, kubeconfig, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\nusers: [{name: x, user: {}}]\n", cluster.URL))

	s := &server{leadership: leadership.New(new(postgres.Journal), "")}
	c, err := s.connect(joinOptions{Name: "tiger", Kubeconfig: kubeconfig, Manage: true})
	if err != nil {
		t.Fatal(err)
	}
	pod := translate.Pod{Namespace: "oak", Name: "p", UID: "1"}
	for n, lapsed := range []bool{false, true, false} {
		was := writes.Load()
		s.leadership.Renewed(time.Now())
		if lapsed {
			s.leadership.Renewed(time.Now().Add(-leadership.Lease))
		}
		err := c.Remove(t.Context(), pod)
		switch wrote := writes.Load() > was; {
		case wrote == lapsed:
			t.Errorf("write %d: the lease has run out: %t; written: %t (%v)", n, lapsed, wrote, err)
		case lapsed && (err == nil || !strings.Contains(err.Error(), "lease")):
			t.Errorf("write %d gives %v", n, err)
		}
		if err := c.Alive(t.Context()); err != nil || reads.Load() != int64(n+1) {
			t.Errorf("read %d gives %v", n, err)
		}
	}
}
