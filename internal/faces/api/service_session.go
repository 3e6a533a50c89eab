package api

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ListSessions lists sign-ins that are good, the caller's own where the caller may not see all.
func (s accessService) ListSessions(ctx context.Context, m *musterv1.ListSessionsRequest) (*musterv1.ListSessionsResponse, error) {
	out, c := &musterv1.ListSessionsResponse{}, callerOf(ctx)
	all := c.may(access.ReadBindings)
	list := s.signIns.list(m.GetUser())
	seen, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		for _, one := range list {
			own := c.actor.Principal == fleet.Principal{Kind: fleet.UserPrincipal, Name: one.user}
			if !all && !own || !one.began.IsZero() && state.SignedOff(one.user, one.id, fleet.InstantOf(one.began)) {
				continue
			}
			m := &musterv1.Session{Id: one.id, User: one.user, Kind: one.by, Used: timestamppb.New(one.used), UsedFrom: one.from}
			if !one.began.IsZero() {
				m.Began = timestamppb.New(one.began)
			}
			out.Sessions = append(out.Sessions, m)
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// EndSessions ends sign-ins of a person before their time.
func (s accessService) EndSessions(ctx context.Context, m *musterv1.EndSessionsRequest) (*musterv1.EndSessionsResponse, error) {
	w, err := s.written(ctx, m, core.EndSessions{User: m.GetUser(), Session: m.GetId()}, nil)
	if err != nil || w.GetDryRun() {
		return &musterv1.EndSessionsResponse{Written: w}, err
	}
	what := "all sign-ins"
	if m.GetId() != "" {
		what = "the sign-in " + m.GetId()
	}
	s.note(ctx, audit.SignedOut, "ended "+what+" of user:"+m.GetUser())
	list := s.signIns.list(m.GetUser())
	if len(list) == 0 {
		w.Notes = append(w.Notes, "No sign-in of "+m.GetUser()+" was seen since this server started. If the name is misspelt, none is ended: muster session list shows the names that were seen.")
	}
	for _, one := range list {
		if one.by == "tokens-file" && (m.GetId() == "" || m.GetId() == one.id) {
			w.Notes = append(w.Notes, "The token of "+one.user+" in the tokens file stays good until its entry is taken out of the file.")
			break
		}
	}
	return &musterv1.EndSessionsResponse{Written: w}, nil
}
