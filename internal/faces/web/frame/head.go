package frame

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/ask"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// How old what every page says of the server may be. Up to headFresh it is used as it is;
// up to headExpires it is used, and renewed beside the page; after that the page waits.
const (
	headFresh   = time.Second
	headExpires = 4 * time.Second
	mostHeads   = 1000
)

// heads keeps what every page says of the server, by reader.
type heads struct {
	mu   sync.Mutex
	kept map[ask.Reader]*head
}

// head is what every page says of the server and of its reader.
type head struct {
	status  *musterv1.StatusResponse
	stale   []string          // clusters whose reports have stopped
	modes   map[string]string // by cluster
	banners []Banner
	at      time.Time
	asking  bool // it is being renewed
}

// of is the head for the reader of a visit.
func (h *heads) of(v *Visit) (head, error) {
	who := v.asks()
	h.mu.Lock()
	k := h.kept[who]
	age := headExpires
	if k != nil {
		age = time.Since(k.at)
	}
	switch {
	case age < headFresh, age < headExpires && k.asking:
		defer h.mu.Unlock()
		return *k, nil
	case age < headExpires:
		k.asking = true
		defer h.mu.Unlock()
		ctx := context.WithoutCancel(v.Ctx)
		go func() { _, _ = h.ask(ctx, v, who) }() // an error shows on the next page, which asks again
		return *k, nil
	}
	h.mu.Unlock()
	return h.ask(v.Ctx, v, who)
}

// asks is by whom a head is asked.
func (v *Visit) asks() ask.Reader {
	return ask.Reader{Host: v.Request.Host, Token: v.self.token, Proof: v.Request.Header.Get("Muster-Proof")}
}

// ask asks the API for a head, and keeps it.
func (h *heads) ask(ctx context.Context, v *Visit, who ask.Reader) (head, error) {
	fresh, err := newHead(ctx, v)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		delete(h.kept, who)
		return head{}, err
	}
	if h.kept == nil {
		h.kept = map[ask.Reader]*head{}
	}
	h.makeRoom(who)
	h.kept[who] = &fresh
	return fresh, nil
}

// makeRoom lets go of heads that are old, or of the same reader; where that is not enough, of one other. It is never all: a
// caller who names ever more hosts would have all others ask anew. The heads are locked.
func (h *heads) makeRoom(who ask.Reader) {
	if len(h.kept) < mostHeads {
		return
	}
	maps.DeleteFunc(h.kept, func(other ask.Reader, is *head) bool {
		return time.Since(is.at) > headExpires || other.Token == who.Token && other.Proof == who.Proof
	})
	for other := range h.kept {
		if len(h.kept) < mostHeads {
			return
		}
		delete(h.kept, other)
	}
}

func newHead(ctx context.Context, v *Visit) (head, error) {
	h := head{at: time.Now(), modes: map[string]string{}}
	var err error
	if h.status, err = v.System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true}); err != nil {
		return h, err
	}
	c, err := v.Capacity.Capacity(ctx, &musterv1.CapacityRequest{WithoutIslands: true})
	for _, one := range c.GetClusters() {
		h.modes[one.GetCluster()] = one.GetMode()
		if one.GetStale() {
			h.stale = append(h.stale, one.GetCluster())
		}
	}
	if err == nil && slices.ContainsFunc(h.status.GetWarnings(), ofHealth) {
		h.banners, err = askBanners(ctx, v)
	}
	h.banners = slices.Concat(serverBanners(h.status.GetWarnings()), cutBanners(h.status.GetWarnings()), h.banners)
	return h, err
}

// forget makes the next page of a reader ask anew, who has changed something.
func (h *heads) forget(v *Visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.kept, v.asks())
}

// Operator says whether the reader is an operator.
func (v *Visit) Operator() bool {
	h, err := v.site.heads.of(v)
	return err == nil && h.status.GetOperator()
}

// May says whether the reader is an operator, or has one of some roles. Where is the scope in words,
// such as "quota research/oak" or "cluster tiger"; a role in the fleet, in it, or for a quota above it
// serves. Where "" is asked, any scope does. The server judges each change anyway.
func (v *Visit) May(where string, roles ...string) bool {
	if v.Operator() {
		return true
	}
	h, err := v.site.heads.of(v)
	return err == nil && slices.ContainsFunc(h.status.GetRoles(), func(held string) bool {
		role, scope, _ := strings.Cut(held, " in ")
		return slices.Contains(roles, role) && serves(scope, where)
	})
}

// serves says whether a role in a scope serves somewhere.
func serves(scope, where string) bool {
	return where == "" || scope == "the fleet" || scope == where || strings.HasPrefix(where, scope+"/")
}

// Reader is the name of the reader; "me" where that is not known.
func (v *Visit) Reader() string {
	h, err := v.site.heads.of(v)
	if err != nil {
		return "me"
	}
	return frame{actor: h.status.GetActor()}.name()
}

// ModeOf is the mode that a cluster is in now.
func (v *Visit) ModeOf(cluster string) (string, error) {
	h, err := v.site.heads.of(v)
	if err != nil {
		return "", err
	}
	if mode := h.modes[cluster]; mode != "" {
		return mode, nil
	}
	return "", Missing("No cluster is named "+parts.Short(cluster, 80)+".", "The fleet page lists the clusters.")
}
