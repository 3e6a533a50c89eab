package server

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Who started an empty server is told how to reach it, and not another one, and what to show it.
func TestAnEmptyServerSaysHowToReachIt(t *testing.T) {
	e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return fleet.InstantOf(time.Unix(1, 0)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	var out bytes.Buffer
	s := &server{engine: e, listener: l, backend: &backend{}, upOptions: upOptions{Out: &out, Tokens: "tokens.yaml"}}
	s.invite()
	at := -1
	for _, line := range []string{"export MUSTER_SERVER=" + l.Addr().String(), "export MUSTER_TOKEN=TOKEN   # one that tokens.yaml knows", "muster apply -f fleet.yaml"} {
		if next := strings.Index(out.String(), "\n  "+line); next <= at {
			t.Errorf("it does not say %q, or too early:\n%s", line, out.String())
		} else {
			at = next
		}
	}
}
