package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How long one call may take, how long pauses between calls are, and after how
// long a notice is given up.
const (
	callTakes  = 10 * time.Second
	firstPause = time.Second
	longest    = 5 * time.Minute
	givenUp    = 24 * time.Hour
)

// sender delivers one subscription's notices, one after the other.
type sender struct {
	to     fleet.Subscription
	secret string
	box    *outbox
	client *http.Client
	hosts  Egress
	now    func() time.Time
}

// run delivers until ctx ends.
func (s *sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		n, ok := s.box.first()
		if !ok {
			s.idle(ctx)
			continue
		}
		s.deliver(ctx, n)
	}
}

func (s *sender) idle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.box.wake:
	}
}

// deliver tries until the receiver takes it, a day is over, or ctx ends.
func (s *sender) deliver(ctx context.Context, n Notice) {
	began := s.now()
	for pause := firstPause; ; pause = min(2*pause, longest) {
		err := s.call(ctx, n)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			s.box.done(n, true, s.now())
			return
		}
		s.box.failed(err, s.now())
		if errors.Is(err, errRefused) || s.now().Sub(began) > givenUp {
			s.box.done(n, false, s.now())
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// errRefused: the receiver says that it will never take this notice.
var errRefused = errors.New("refused for good")

// message is what a receiver gets. text is what Slack, Mattermost and Teams show.
type message struct {
	Text         string `json:"text"`
	Subscription string `json:"subscription"`
	At           string `json:"at"`
	Notice       Notice `json:"notice"`
}

func (s *sender) call(ctx context.Context, n Notice) error {
	body, err := json.Marshal(message{n.Text, s.to.Name, n.At.Time().UTC().Format(time.RFC3339), n})
	if err != nil {
		return err
	}
	ctx, end := context.WithTimeout(ctx, callTakes)
	defer end()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.URL, bytes.NewReader(body))
	if err != nil {
		return unnamed(err)
	}
	if !s.hosts.allows(req.URL.Hostname()) {
		return fmt.Errorf("the host %.100q is none that webhooks may go to (--webhooks-to)", req.URL.Hostname())
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "muster")
	req.Header.Set("Muster-Notice", n.ID)
	req.Header.Set(SignatureHeader, Sign(s.secret, s.now(), body))
	res, err := s.client.Do(req)
	if err != nil {
		return unnamed(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	return answer(res.StatusCode)
}

// answer reads a status: 2xx is taken, 410 and 413 will never be, all else may be
// better later.
func answer(code int) error {
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusGone || code == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("the receiver answered %d: %w", code, errRefused)
	}
	return fmt.Errorf("the receiver answered %d", code)
}
