package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Reviewer says whose token one is that was made for an audience, as a Kubernetes cluster
// knows it: a service account, by namespace and name.
type Reviewer interface {
	Review(ctx context.Context, token, audience string) (namespace, name string, err error)
}

// KubeTokens is the Authenticator of workloads of Kubernetes clusters, which show a token of
// their service account there, made for the audience muster/CLUSTER. So it is shown to the
// cluster that made it and to no other, and another cluster cannot use it.
type KubeTokens struct {
	clusters map[string]Reviewer
	now      func() time.Time
	turns    map[string]chan struct{}

	mu    sync.Mutex
	known map[[sha256.Size]byte]reviewed
}

// reviewed is what a cluster said of a token.
type reviewed struct {
	who       Identity
	err       error
	until     time.Time // when it is asked about again
	confirmed time.Time // when the cluster confirmed it last
}

// How long a cluster's answer is good, and how long while it does not answer; of how many
// tokens it is kept, and about how many the cluster is asked at a time.
const (
	silentGood = time.Minute
	reviewGood = 6 * time.Second
	refusalFor = 6 * time.Second
	mostKnown  = 10_000
	reviewsNow = 8
)

// NewKubeTokens is the Authenticator of the workloads of clusters.
func NewKubeTokens(clusters map[string]Reviewer, now func() time.Time) *KubeTokens {
	if now == nil {
		now = time.Now
	}
	k := &KubeTokens{clusters: clusters, now: now, turns: map[string]chan struct{}{}, known: map[[sha256.Size]byte]reviewed{}}
	for cluster := range clusters {
		k.turns[cluster] = make(chan struct{}, reviewsNow)
	}
	return k
}

// audiencePrefix begins the audience of a workload's token; the name of its cluster follows.
const audiencePrefix = "muster/"

// claimedCluster is the cluster that a token of a Kubernetes service account claims to be
// of; "": it is no such token. Nothing is proven by it.
func claimedCluster(bearer string) string {
	parts := strings.Split(bearer, ".")
	if len(parts) != 3 || len(bearer) > maxIDToken {
		return ""
	}
	var claims struct {
		Audience []string `json:"aud"` // Kubernetes always writes a list
		Subject  string   `json:"sub"`
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(data, &claims) != nil || len(claims.Audience) != 1 || !strings.HasPrefix(claims.Subject, "system:serviceaccount:") {
		return ""
	}
	cluster, _ := strings.CutPrefix(claims.Audience[0], audiencePrefix)
	return cluster
}

// Identify has a cluster say whose token a request bears. It is asked once in a while.
func (k *KubeTokens) Identify(r *http.Request) (Identity, error) {
	bearer := bearerOf(r)
	cluster := claimedCluster(bearer)
	ask, known := k.clusters[cluster]
	if !known {
		return Identity{}, ErrNotMine
	}
	sum := sha256.Sum256([]byte(bearer))
	if found, ok := k.last(sum); ok {
		return found.who, found.err
	}
	select {
	case k.turns[cluster] <- struct{}{}:
		defer func() { <-k.turns[cluster] }()
	case <-r.Context().Done():
		return Identity{}, r.Context().Err()
	}
	if found, ok := k.last(sum); ok {
		return found.who, found.err
	}
	namespace, name, err := ask.Review(r.Context(), bearer, audiencePrefix+cluster)
	if r.Context().Err() != nil {
		return Identity{}, r.Context().Err()
	}
	found := k.judge(cluster, namespace, name, err)
	if was, ok := k.goesOn(sum, err); ok {
		found = was
	}
	k.keep(sum, found)
	return found.who, found.err
}

// goesOn is what a cluster said before that gives no answer now, while that is good: a
// cluster that rests for a moment locks no workload out. One that refuses is believed at once.
func (k *KubeTokens) goesOn(sum [sha256.Size]byte, err error) (reviewed, bool) {
	var says interface{ Refused() bool }
	if err == nil || errors.As(err, &says) && says.Refused() {
		return reviewed{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	was, known := k.known[sum]
	was.until = k.now().Add(refusalFor)
	return was, known && was.err == nil && k.now().Sub(was.confirmed) < silentGood
}

// judge is who a cluster's answer names. Why it names none is not for a caller who is unknown:
// an error may name addresses.
func (k *KubeTokens) judge(cluster, namespace, name string, err error) reviewed {
	p := fleet.Principal{Kind: fleet.KubernetesPrincipal, Name: namespace + "/" + name + "@" + cluster}
	switch {
	case err != nil:
		return reviewed{err: fmt.Errorf("cluster %s did not confirm the token of the workload; it may have ended, or the cluster does not answer", cluster), until: k.now().Add(refusalFor)}
	case !fleet.ValidPrincipalName(p.Name):
		return reviewed{err: errors.New("the service account of the token has no name that can be bound to"), until: k.now().Add(refusalFor)}
	}
	return reviewed{who: Identity{User: p.String(), Principal: p, Token: "review:" + cluster}, until: k.now().Add(reviewGood), confirmed: k.now()}
}

func (k *KubeTokens) last(sum [sha256.Size]byte) (reviewed, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.known[sum]
	return found, ok && k.now().Before(found.until)
}

func (k *KubeTokens) keep(sum [sha256.Size]byte, found reviewed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= mostKnown {
		clear(k.known)
	}
	k.known[sum] = found
}

// Find knows no users.
func (k *KubeTokens) Find(string) (Identity, bool) { return Identity{}, false }
