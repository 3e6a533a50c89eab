package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// cutting is a server whose grants take the protection of running work.
type cutting struct {
	musterv1connect.UnimplementedQuotaServiceHandler
	kind string // of the event that a grant leads to
	made int    // grants, dry runs aside
}

func (c *cutting) SetGrant(_ context.Context, r *musterv1.SetGrantRequest) (*musterv1.SetGrantResponse, error) {
	w := &musterv1.Written{DryRun: r.GetWrite().GetDryRun(), Events: []*musterv1.Event{{Kind: c.kind, Data: `{"id":5,"to":12,"holds":3}`}}}
	if !w.DryRun {
		c.made++
	}
	return &musterv1.SetGrantResponse{Written: w}, nil
}

func TestAPersonIsAskedBeforeRunningWorkBecomesUnprotected(t *testing.T) {
	for _, c := range []struct {
		name, typed, kind string
		terminal          bool
		flags             []string
		code, made        int
		asks              bool
	}{
		{"no", "n\n", "holds.changed", true, nil, ExitError, 0, true},
		{"nothing typed", "", "holds.changed", true, nil, ExitError, 0, true},
		{"yes", "y\n", "holds.changed", true, nil, ExitOK, 1, true},
		{"--yes", "", "holds.changed", true, []string{"--yes"}, ExitOK, 1, false},
		{"no terminal", "", "holds.changed", false, nil, ExitOK, 1, false},
		{"nothing loses its protection", "", "grant.set", true, nil, ExitOK, 1, false},
		{"dry run", "", "holds.changed", true, []string{"--dry-run"}, ExitOK, 0, false},
	} {
		is := &cutting{kind: c.kind}
		mux := http.NewServeMux()
		mux.Handle(musterv1connect.NewQuotaServiceHandler(is))
		server := httptest.NewServer(mux)
		var out, trouble bytes.Buffer
		env := &Env{
			In: strings.NewReader(c.typed), Out: &out, Err: &trouble, InTerminal: c.terminal, ErrTerminal: c.terminal,
			Getenv: func(string) string { return "" }, Now: time.Now, User: "ada", HTTP: server.Client(),
		}
		code := New(env).Run(t.Context(), append([]string{"--server", server.URL, "quota", "grant", "research/oak", "tiger/h200", "16"}, c.flags...))
		server.Close()
		asks := strings.Contains(trouble.String(), "Do it? [y/N]")
		if code != c.code || is.made != c.made || asks != c.asks {
			t.Errorf("%s: exit code %d, %d grants, asked %v; want %d, %d, %v\n%s%s", c.name, code, is.made, asks, c.code, c.made, c.asks, trouble.String(), out.String())
		}
		if asks && !strings.Contains(trouble.String(), "number 5 ") {
			t.Errorf("%s: the work is not named:\n%s", c.name, trouble.String())
		}
	}
}

// draining is a server on which a drain takes what its notes say.
type draining struct {
	musterv1connect.UnimplementedFleetServiceHandler
	notes []string
	made  int
}

func (d *draining) SetNodes(_ context.Context, r *musterv1.SetNodesRequest) (*musterv1.SetNodesResponse, error) {
	w := &musterv1.Written{DryRun: r.GetWrite().GetDryRun()}
	if w.DryRun {
		w.Notes = d.notes
	} else {
		d.made++
	}
	return &musterv1.SetNodesResponse{Written: w}, nil
}

func TestAPersonIsAskedBeforeWorkOrQuotasLoseNodes(t *testing.T) {
	const loss = "1 grant in tiger/h200 would lose the backing of 16 GPUs: research/oak (16 of 32 GPUs)."
	for _, c := range []struct {
		name, typed string
		args, notes []string
		made        int
		asks        bool
	}{
		{"drain, no", "n\n", []string{"drain"}, []string{loss}, 0, true},
		{"drain, yes", "y\n", []string{"drain"}, []string{loss}, 1, true},
		{"drain --yes", "", []string{"drain", "--yes"}, []string{loss}, 1, false},
		{"cordon, no", "n\n", []string{"cordon"}, []string{loss}, 0, true},
		{"set, no", "n\n", []string{"set", "--state", "repairing"}, []string{loss}, 0, true},
		{"nothing is lost", "", []string{"drain"}, nil, 1, false},
		{"it was so already", "", []string{"drain"}, []string{"Nothing changed: it was so already."}, 1, false},
	} {
		is := &draining{notes: c.notes}
		mux := http.NewServeMux()
		mux.Handle(musterv1connect.NewFleetServiceHandler(is))
		server := httptest.NewServer(mux)
		var out, trouble bytes.Buffer
		env := &Env{
			In: strings.NewReader(c.typed), Out: &out, Err: &trouble, InTerminal: true, ErrTerminal: true,
			Getenv: func(string) string { return "" }, Now: time.Now, User: "ada", HTTP: server.Client(),
		}
		New(env).Run(t.Context(), append(append([]string{"--server", server.URL, "node"}, c.args...), "tiger-h200-i1-001"))
		server.Close()
		asks := strings.Contains(trouble.String(), loss) && strings.Contains(trouble.String(), "Do it? [y/N]")
		if is.made != c.made || asks != c.asks {
			t.Errorf("%s: changed %d times, asked %v; want %d, %v\n%s%s", c.name, is.made, asks, c.made, c.asks, trouble.String(), out.String())
		}
	}
}
