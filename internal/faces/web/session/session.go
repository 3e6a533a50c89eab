package session

import (
	"cmp"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is the page of sign-ins.
type view struct {
	v    *frame.Visit
	user string // whose are asked for; "": everybody's
	list []*musterv1.Session
}

// Page lists the sign-ins that the reader may see, by user, the last used first.
func Page(v *frame.Visit) (frame.Page, error) {
	m := view{v: v, user: v.Query("user")}
	res, err := v.Access.ListSessions(v.Ctx, &musterv1.ListSessionsRequest{User: m.user})
	if err != nil {
		return frame.Page{}, err
	}
	m.list = res.GetSessions()
	slices.SortStableFunc(m.list, func(a, b *musterv1.Session) int {
		return cmp.Or(cmp.Compare(a.GetUser(), b.GetUser()), b.GetUsed().AsTime().Compare(a.GetUsed().AsTime()), cmp.Compare(a.GetId(), b.GetId()))
	})
	command := []string{"muster", "session", "list"}
	if m.user != "" {
		command = append(command, m.user)
	}
	return frame.Page{Title: "Sign-ins", Nav: "fleet", Crumbs: frame.Under("Fleet", "/"), Command: words.Shell(command...), Lead: m.lead(), Body: body(m)}, nil
}

func (m view) lead() string {
	people := map[string]bool{}
	for _, s := range m.list {
		people[s.GetUser()] = true
	}
	switch {
	case len(m.list) == 0:
		return "Who is signed in to this server, and by which way."
	case len(people) == 1:
		return draw.Count(len(m.list), "sign-in") + " of " + m.list[0].GetUser() + ", since this server started."
	}
	return draw.Count(len(m.list), "sign-in") + " of " + draw.Number(len(people)) + " people, since this server started."
}

// none says that there are none to show, and to whom others are not shown, why.
func (m view) none() (says, hint string) {
	if m.v.Operator() {
		return "No sign-in was seen since this server started.", ""
	}
	return "No sign-in was seen that you may see.", "Without the role auditor you see your own."
}

// began is when a person signed in; an entry of the tokens file has no such moment.
func (m view) began(s *musterv1.Session) string {
	if s.GetBegan() == nil {
		return "–"
	}
	return parts.Clock(s.GetBegan().AsTime(), m.v.Now)
}

// ends leads to the form that ends a sign-in.
func (m view) ends(s *musterv1.Session) []change.Offer {
	if m.v.May("", "admin") || s.GetUser() == m.v.Reader() {
		return change.For(m.v, "end-sign-ins", "End …", "user", s.GetUser(), "session", s.GetId())
	}
	return nil
}
