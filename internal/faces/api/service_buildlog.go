package api

import (
	"context"
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// GetClusterLog is the end of the log of what a step of a cluster runs.
func (s buildoutService) GetClusterLog(ctx context.Context, m *musterv1.GetClusterLogRequest) (*musterv1.GetClusterLogResponse, error) {
	if c := callerOf(ctx); !c.open(access.ReadLogs) && !access.May(c.rights, access.ReadLogs, access.Place{Cluster: m.GetCluster()}) {
		return nil, &core.Refusal{Code: core.AccessDenied, Message: "no role of " + c.actor.Name + " reaches the logs of cluster " + m.GetCluster() + "; that takes " + access.Wanted(access.ReadLogs)}
	}
	var is fleet.StepState
	if _, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		l := state.Life(m.GetCluster())
		if l == nil {
			return &core.Refusal{Code: core.NoSuchCluster, Message: "no cluster of that name is planned or was built here; muster cluster list lists them"}
		}
		is = stepWithLog(l)
		return nil
	}); err != nil {
		return nil, err
	}
	out := &musterv1.GetClusterLogResponse{Operation: is.Operation.ID, Live: is.Operation.Live()}
	if name := m.GetOperation(); name != "" && name != out.GetOperation() {
		if !strings.HasPrefix(name, m.GetCluster()+".") {
			return nil, &core.Refusal{Code: core.Invalid, Message: fmt.Sprintf("operation %.80q is none of cluster %s", name, m.GetCluster())}
		}
		out.Operation, out.Live = name, false // an earlier try
	}
	return out, s.readLog(out, is)
}

// readLog fills in the log, or why there is none.
func (s buildoutService) readLog(out *musterv1.GetClusterLogResponse, is fleet.StepState) error {
	if out.GetOperation() == "" {
		out.Missing = "The pipeline has not begun."
		return nil
	}
	var err error
	if s.logs != nil {
		out.Text, out.Cut, err = s.logs(out.GetOperation())
		out.Text = shown(out.GetText())
	}
	switch link := is.Operation.Link; {
	case out.GetText() != "":
	case strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://"):
		out.Missing = "Its log is kept where it runs: " + link
	default:
		out.Missing = "This server keeps no log of " + out.GetOperation() + ": it is simulated, runs elsewhere, or has written nothing yet."
	}
	return err
}

// stepWithLog is the removal once that has begun, and the pipeline until then.
func stepWithLog(l *fleet.Life) fleet.StepState {
	if down := l.Step(fleet.StepTeardown); down.Operation.ID != "" {
		return down
	}
	return l.Step(fleet.StepPipeline)
}

// shown is a log in characters that terminals and pages show and do not obey.
func shown(log string) string {
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		lines[i] = strings.Map(text.SafeRune, strings.ToValidUTF8(line, "?"))
	}
	return strings.Join(lines, "\n")
}
