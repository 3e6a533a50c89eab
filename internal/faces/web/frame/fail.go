package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// WrongInput is the error that something in an address or a form is wrong.
type WrongInput struct{ field, what string }

func (w *WrongInput) Error() string {
	if w.field == "" {
		return w.what
	}
	return w.field + ": " + w.what
}

// Wrong is the error that a field of an address or a form is wrong, and how. Of field "" what is wrong names it itself.
func Wrong(field, what string) error { return &WrongInput{field, what} }

// wrongFields is the error that several fields of a form are wrong.
type wrongFields map[string]string

func (w wrongFields) Error() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(w)) {
		all = append(all, Label(name)+": "+w[name])
	}
	return strings.Join(all, "; ")
}

// WrongFields is the error that fields of a form are wrong, and how each is.
func WrongFields(faults map[string]string) error { return wrongFields(faults) }

// Unfit says what is wrong with a value and what would be right: that it is not something, and what to write instead.
func Unfit(value, something, instead string) string {
	if strings.TrimSpace(value) == "" {
		return "is empty; write " + instead
	}
	return fmt.Sprintf("%.60q is not %s; write %s", value, something, instead)
}

// NoSpan is the error that a field of an address or a form is not a length of time.
func NoSpan(field, value string) error {
	return Wrong(field, Unfit(value, "a length of time", "one such as 24h"))
}

// UnknownName says which name of a filter nothing has; "": the error is another, or none. A page may stay then, with
// its filters: what has that name may come while it is open.
func UnknownName(err error) string {
	var refused *client.Refusal
	if errors.As(err, &refused) && slices.Contains([]string{client.NoSuchNamespace, client.NoSuchQuota, client.NoSuchPartition}, refused.Code) {
		return refused.Message
	}
	return ""
}

// missing is something that an address names and that does not exist.
type missing struct {
	what, next string
	nowhere    bool // there is no such page, whatever there is in the fleet
}

func (m *missing) Error() string { return m.what }

// Missing is the error that something does not exist, and where to look instead.
func Missing(what, next string) error { return &missing{what: what, next: next} }

// trouble is what a page says in place of an answer.
type trouble struct {
	status int
	title  string
	text   string
	next   string // what to do about it
	code   string // of a refusal
	signIn bool

	nowhere bool // see missing
	earlier []earlierLink
}

// earlierLink leads to the same address at an earlier moment.
type earlierLink struct{ text, path string }

// What readers are told to do next.
const (
	mendAddress = "Correct the address, or go back."
	tryAgain    = "Try again. If it fails again, the server's log says more."
	lookEarlier = "It may have ended, or been renamed."
)

// troubleOf says what an error means to the reader of a page, and what to do about it.
func troubleOf(err error) trouble {
	var input *WrongInput
	if errors.As(err, &input) {
		return trouble{status: http.StatusBadRequest, title: "This cannot be asked", text: input.Error(), next: mendAddress}
	}
	var fields wrongFields
	if errors.As(err, &fields) {
		return trouble{status: http.StatusBadRequest, title: "This cannot be asked", text: fields.Error(), next: mendAddress}
	}
	var gone *missing
	if errors.As(err, &gone) {
		return trouble{status: http.StatusNotFound, title: "Not found", text: gone.what, next: gone.next, nowhere: gone.nowhere}
	}
	var ce *connect.Error
	if !errors.As(err, &ce) {
		return trouble{status: http.StatusInternalServerError, title: "Something failed", text: err.Error(), next: tryAgain}
	}
	t := trouble{text: ce.Message()}
	if refusal := refusalOf(ce); refusal != nil {
		t.code, t.text = refusal.GetCode(), InPageWords(cmp.Or(fieldsText(refusal), refusal.GetMessage()))
	}
	t.classify(ce.Code())
	return t
}

// Sentence writes what a refusal says as a sentence: on a page it stands alone. A name at its beginning stays as it is.
func Sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if slices.Contains([]string{"no", "there", "the", "a", "an", "it", "this", "only", "nothing", "you"}, first) {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?:;") {
		text += "."
	}
	return text
}

// classify says what a code of the API means to the reader of a page.
func (t *trouble) classify(code connect.Code) {
	switch code {
	case connect.CodeUnauthenticated:
		t.status, t.title, t.signIn = http.StatusUnauthorized, "Who are you?", true
	case connect.CodePermissionDenied:
		t.status, t.title, t.next = http.StatusForbidden, "Not allowed", "Ask an operator."
		if strings.Contains(t.text, "quota ") {
			t.next = "Ask an operator, or an owner of the quota."
		}
	case connect.CodeNotFound:
		t.status, t.title, t.next = http.StatusNotFound, "Not found", lookEarlier
	case connect.CodeInvalidArgument, connect.CodeFailedPrecondition, connect.CodeOutOfRange, connect.CodeAlreadyExists, connect.CodeAborted:
		t.status, t.title, t.next = http.StatusBadRequest, "This cannot be asked", mendAddress
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeResourceExhausted:
		t.status, t.title, t.next = http.StatusServiceUnavailable, "No answer in time", "Try again in a moment."
	default:
		t.status, t.title, t.next = http.StatusInternalServerError, "Something failed", tryAgain
	}
}

// ofForm is trouble with a form: there is no address to correct, and the form is one step back.
func (t trouble) ofForm() trouble {
	switch t.status {
	case http.StatusBadRequest:
		t.title, t.next = "This cannot be done", "Nothing was changed. Go back and correct the form."
	case http.StatusForbidden, http.StatusNotFound:
		t.next = "Nothing was changed. " + t.next
	}
	return t
}

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

// Explain says an error to the reader of a page; "" where there is none.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	return troubleOf(err).text
}

// Overpromises says whether an error refuses to assign more than can be sustained.
func Overpromises(err error) bool {
	return err != nil && troubleOf(err).code == string(client.Overpromise)
}

// pastPatience is how long a page waits for the past. After a start without notes of it,
// gathering it takes minutes: the page shows the rest meanwhile, and asks again.
const pastPatience = 800 * time.Millisecond

// Soon is the context of a question that a page does not wait long for.
func (v *Visit) Soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.Ctx, pastPatience)
}

// NoPast says why the past is not shown.
func NoPast(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || connect.CodeOf(err) == connect.CodeDeadlineExceeded {
		return "The past is still being gathered. It appears here when that is done."
	}
	return "The past could not be read: " + troubleOf(err).text
}

// fail shows what went wrong, in the frame of all pages where there is one.
func (v *Visit) fail(err error) {
	t := troubleOf(err)
	if v.Request.Method == http.MethodPost {
		t = t.ofForm()
	}
	if t.status >= 500 && v.Request.Context().Err() == nil { // who left is no failure
		v.site.o.Log.Warn("a page failed", "path", v.Request.URL.Path, "error", err)
	}
	v.head()
	if isPart(v.Request) {
		v.render(partTrouble(v.Request.Header.Get("HX-Target"), t)) // with 200: htmx shows nothing else
		return
	}
	if t.signIn { // what the API says is for programs
		t.text = "This server needs to know who you are."
		if v.self.token != "" && v.site.o.Login == "" {
			t.text = "That token is not known here, or has fewer than 22 characters. Ask an operator of this server for one."
		}
	}
	if t.next == lookEarlier {
		t.earlier = v.earlier()
	}
	f, p := v.troubleFrame(t), Page{Title: t.title, Still: true, Status: t.status}
	p.Body = troubleBody(f, t)
	if v.Request.Header.Get("HX-Request") == "true" && t.status < 500 {
		v.render(fragment(f, p)) // with 200: htmx shows nothing else. A failure leaves the earlier figures standing
		return
	}
	v.Writer.WriteHeader(t.status)
	_ = layout(f, p).Render(v.Ctx, v.Writer)
}

// earlier leads to this address as it was an hour, a day and a week before, as far as the record goes back.
func (v *Visit) earlier() (list []earlierLink) {
	begin := v.Begin()
	for _, one := range []struct {
		text string
		back time.Duration
	}{{"an hour earlier", time.Hour}, {"a day earlier", 24 * time.Hour}, {"a week earlier", 7 * 24 * time.Hour}} {
		if at := v.At().Add(-one.back); !at.Before(begin) {
			list = append(list, earlierLink{one.text, v.Here("as-of", parts.Stamp(at))})
		}
	}
	return list
}

// troubleFrame is the frame around trouble: of now, and bare for a reader who is not known.
func (v *Visit) troubleFrame(t trouble) frame {
	bare := frame{v: v, at: v.Now, from: v.Now, to: v.Now, theme: v.theme(), assets: v.site.o.Version}
	switch {
	case t.signIn:
		return bare
	case t.nowhere:
		return v.knownFrame(bare)
	}
	v.AsOf = nil
	if whole, err := v.frame(Page{Still: true}); err == nil {
		return whole
	}
	return bare
}
