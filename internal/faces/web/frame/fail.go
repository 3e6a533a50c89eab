package web

import (
	"errors"
	"net/http"
	"regexp"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// wrongInput is something wrong with what an address or a form says.
type wrongInput struct{ field, what string }

func (w *wrongInput) Error() string { return w.field + ": " + w.what }

// trouble is a page in place of an answer.
type trouble struct {
	status int
	title  string
	text   string
	next   string // what to do about it
	code   string // of a refusal
	signIn bool
}

// notThere is how the API begins to say that nothing has the name it was asked for.
var notThere = regexp.MustCompile(`^(there is no (workload|node|saved haircut|partition|quota|cluster) |no (node|workload) is named )`)

// troubleOf says what an error means to who reads a page, and what to do about it.
func troubleOf(err error) trouble {
	var input *wrongInput
	if errors.As(err, &input) {
		return trouble{status: http.StatusBadRequest, title: "This cannot be asked", text: input.Error(), next: "Mend the address, or go back."}
	}
	var gone *missing
	if errors.As(err, &gone) {
		return trouble{status: http.StatusNotFound, title: "Not here", text: gone.what, next: gone.next}
	}
	var ce *connect.Error
	if !errors.As(err, &ce) {
		return trouble{status: http.StatusInternalServerError, title: "Something broke", text: err.Error(), next: "Try again; if it stays, the server's log says more."}
	}
	t := trouble{status: http.StatusInternalServerError, title: "Something broke", text: ce.Message(), next: "Try again; if it stays, the server's log says more."}
	if refusal := refusalOf(ce); refusal != nil {
		t.code, t.text = refusal.GetCode(), refusal.GetMessage()
	}
	switch ce.Code() {
	case connect.CodeUnauthenticated:
		t.status, t.title, t.next, t.signIn = http.StatusUnauthorized, "Who are you?", "", true
	case connect.CodePermissionDenied:
		t.status, t.title, t.next = http.StatusForbidden, "Not allowed", "Ask an operator, or somebody who answers for the quota."
	case connect.CodeNotFound:
		t.status, t.title, t.next = http.StatusNotFound, "Not here", "It may have ended, or been renamed. Look at an earlier moment, or search the workloads."
	case connect.CodeInvalidArgument, connect.CodeFailedPrecondition, connect.CodeOutOfRange, connect.CodeAlreadyExists, connect.CodeAborted:
		t.status, t.title, t.next = http.StatusBadRequest, "This cannot be asked", "Mend the address, or go back."
		if notThere.MatchString(t.text) {
			t.status, t.title, t.next = http.StatusNotFound, "Not here", "It may have ended, or been renamed. Look at an earlier moment, or search the workloads."
		}
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeResourceExhausted:
		t.status, t.title, t.next = http.StatusServiceUnavailable, "No answer in time", "Try again in a moment."
	default: // it stays broken
	}
	return t
}

// ofForm is trouble with what a form asked for: there is no address to mend, and the form is one step back.
func (t trouble) ofForm() trouble {
	switch t.status {
	case http.StatusBadRequest:
		t.title, t.next = "This cannot be done", "Nothing was changed. Go back and mend the form."
	case http.StatusForbidden, http.StatusNotFound:
		t.next = "Nothing was changed. " + t.next
	}
	return t
}

// missing is something that an address names and that is not there.
type missing struct{ what, next string }

func (m *missing) Error() string { return m.what }

func refusalOf(err *connect.Error) *musterv1.Refusal {
	for _, d := range err.Details() {
		if m, err := d.Value(); err == nil {
			if r, ok := m.(*musterv1.Refusal); ok {
				return r
			}
		}
	}
	return nil
}

// fail shows what went wrong, in the frame of all pages where there is one.
func (v *visit) fail(err error) {
	t := troubleOf(err)
	if v.r.Method == http.MethodPost {
		t = t.ofForm()
	}
	if t.status >= 500 {
		v.o.Log.Warn("a page failed", "path", v.r.URL.Path, "error", err)
	}
	if v.r.Header.Get("HX-Request") == "true" && v.r.Header.Get("HX-Target") != "main" {
		v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		v.render(partTrouble(v.r.Header.Get("HX-Target"), t)) // with 200: htmx shows nothing else
		return
	}
	f := frame{v: v, at: v.now, from: v.now, to: v.now, theme: v.theme(), assets: v.o.Version}
	p := page{title: t.title, still: true, status: t.status}
	if t.signIn { // what the API says is for programs
		t.text = "This server wants to know who you are."
		if v.self.token != "" {
			t.text = "That token is not known here. Ask who runs this server for one."
		}
	} else {
		v.asOf = nil
		if whole, err := v.frame(p); err == nil {
			f = whole
		}
	}
	p.body = troubleBody(f, t)
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Cache-Control", "no-store")
	if v.r.Header.Get("HX-Request") == "true" && t.status < 500 {
		v.render(fragment(f, p)) // with 200: htmx shows nothing else. What broke leaves the figures of before standing
		return
	}
	v.w.WriteHeader(t.status)
	_ = layout(f, p).Render(v.ctx, v.w)
}

func nowhere(v *visit) (page, error) {
	return page{}, &missing{"There is no page at " + short(v.r.URL.Path, 80) + ".", "The navigation above leads to those there are."}
}
