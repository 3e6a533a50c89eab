package notify

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Options of New.
type Options struct {
	Read  func(func(*fleet.State))                                                  // shows the state between two commands
	Watch func(ctx context.Context, from uint64, fn func(event.Record) error) error // calls fn for each record from a sequence number on
	Dir   string                                                                    // where the key and the cursors are kept
	Log   *slog.Logger                                                              // nil: nothing is logged
	Now   func() time.Time                                                          // nil: time.Now
	To    Egress                                                                    // where calls may go
}

// Notifier tells subscribers what happens.
type Notifier struct {
	o      Options
	key    Key
	newKey bool // it is another than when it was used last
	client *http.Client

	mu      sync.Mutex
	senders map[string]*running
	kept    map[string]uint64 // cursors, as they were found and will be kept
}

// running is a sender at work.
type running struct {
	*sender
	end context.CancelFunc
}

// New finds or makes the key and the cursors in the options' folder.
func New(o Options) (*Notifier, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	key, changed, err := findKey(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("key of the webhooks: %w", err)
	}
	if changed {
		o.Log.Error("the key of the webhooks is another than it was: each subscription has another secret, and receivers that check refuse its calls; put webhook.key back, or give the receivers their new secrets", "folder", o.Dir)
	}
	kept, err := readCursors(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("cursors of the webhooks: %w", err)
	}
	return &Notifier{o: o, key: key, newKey: changed, kept: kept, senders: map[string]*running{}, client: o.To.client()}, nil
}

// KeyChanged says whether the key of the webhooks was found to be another than it was: receivers
// refuse what is signed with it until they know their new secrets.
func (n *Notifier) KeyChanged() bool { return n.newKey }

// Refuses says why no call can ever go to a URL; nil: one may.
func (n *Notifier) Refuses(url string) error { return n.o.To.refuses(url) }

// noRedirect: what was signed for one host is not sent on to another.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// keepEvery is how often cursors are written: a crash repeats at most so much.
const keepEvery = 5 * time.Second

// Run follows the log until ctx ends.
func (n *Notifier) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer end()
	parts.Go(func() { n.keeping(ctx) })
	kept, err := readCursors(n.o.Dir) // another server may have led since New
	if err != nil {
		return fmt.Errorf("cursors of the webhooks: %w", err)
	}
	n.mu.Lock()
	n.kept = kept
	n.mu.Unlock()
	from := n.from()
	err = n.o.Watch(ctx, from, func(r event.Record) error {
		n.o.Read(func(s *fleet.State) { n.take(ctx, &parts, s, r) })
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// from is the record to begin with: the first that some subscription has not had.
func (n *Notifier) from() uint64 {
	first := uint64(0)
	n.o.Read(func(s *fleet.State) {
		first = s.Seq
		for _, sub := range s.Subscriptions {
			if cursor, ok := n.kept[sub.Name]; ok {
				first = min(first, cursor)
			}
		}
	})
	return first + 1
}

// take gives a record's notices to those who asked.
func (n *Notifier) take(ctx context.Context, parts *sync.WaitGroup, s *fleet.State, r event.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.follow(ctx, parts, s, r.Seq)
	if len(n.senders) == 0 {
		return
	}
	notices := Notices(s, r)
	for _, to := range n.senders {
		if r.Seq <= to.box.now().Cursor {
			continue
		}
		for _, notice := range notices {
			if notice.isFor(&to.to) {
				to.box.put(notice)
			}
		}
		to.box.seen(r.Seq)
	}
}

// follow starts senders for subscriptions that came, and ends those of which went.
func (n *Notifier) follow(ctx context.Context, parts *sync.WaitGroup, s *fleet.State, seq uint64) {
	for name, is := range n.senders {
		if sub := s.Subscription(name); sub == nil || sub.Since != is.to.Since {
			is.end()
			delete(n.senders, name)
			delete(n.kept, name)
		}
	}
	for _, sub := range s.Subscriptions {
		if n.senders[sub.Name] != nil {
			continue
		}
		cursor, ok := n.kept[sub.Name]
		if !ok {
			cursor = seq - 1
		}
		own, end := context.WithCancel(ctx)
		to := &sender{to: *sub, secret: n.key.Secret(sub), box: newOutbox(cursor), client: n.client, hosts: n.o.To, now: n.o.Now}
		n.senders[sub.Name] = &running{to, end}
		parts.Go(func() { to.run(own) })
	}
}

// Status says how a subscription stands; false if nothing is known of it.
func (n *Notifier) Status(name string) (Status, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if to := n.senders[name]; to != nil {
		return to.box.now(), true
	}
	return Status{}, false
}

// Secret is what a subscription's calls are signed with.
func (n *Notifier) Secret(s *fleet.Subscription) string { return n.key.Secret(s) }

// Test calls a subscription's URL once, now, and says what came of it.
func (n *Notifier) Test(ctx context.Context, s *fleet.Subscription) error {
	to := &sender{to: *s, secret: n.key.Secret(s), client: n.client, hosts: n.o.To, now: n.o.Now}
	now := n.o.Now()
	return to.call(ctx, Notice{ID: fmt.Sprintf("test.%d", now.UnixNano()), Kind: "test", At: fleet.InstantOf(now), Text: "This is a test of the Muster subscription " + s.Name + " (" + s.About() + ")."})
}

// keeping writes the cursors now and then, and once at the end.
func (n *Notifier) keeping(ctx context.Context) {
	beat := time.NewTicker(keepEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			n.keep()
			return
		case <-beat.C:
			n.keep()
		}
	}
}

func (n *Notifier) keep() {
	n.mu.Lock()
	before := maps.Clone(n.kept)
	for name, to := range n.senders {
		n.kept[name] = to.box.now().Cursor
	}
	now := maps.Clone(n.kept)
	n.mu.Unlock()
	if maps.Equal(before, now) {
		return
	}
	if err := writeCursors(n.o.Dir, now); err != nil {
		n.o.Log.Warn("cursors of webhooks are not kept: after a restart some notices may come twice", "error", err, "subscriptions", slices.Sorted(maps.Keys(now)))
	}
}
