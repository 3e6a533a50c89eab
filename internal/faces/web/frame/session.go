package frame

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/ask"
)

// The cookies of the pages. None of them is read by a script but the theme's.
const (
	cookieSession = "muster_session" // tells browsers apart, so that forms are theirs
	cookieToken   = "muster_token"   // who the reader is, where the server asks for it
	cookieFlash   = "muster_flash"   // what the next page says once
)

// session is a browser that comes again.
type session struct {
	id    string
	token string
}

func (s *Site) session(w http.ResponseWriter, r *http.Request) session {
	self := session{token: tokenOf(r)}
	if c, err := r.Cookie(cookieSession); err == nil && len(c.Value) >= 22 {
		self.id = c.Value
		return self
	}
	self.id = random()
	setCookie(w, r, cookieSession, self.id, 0)
	return self
}

// headerSession carries who the reader is where the server found a session of theirs. It is
// in the place of a token, and goes before one.
const headerSession = "Muster-Session"

// tokenOf is what shows the API who reads; "": nothing.
func tokenOf(r *http.Request) string {
	if sealed := r.Header.Get(headerSession); sealed != "" {
		return sealed
	}
	if c, err := r.Cookie(cookieToken); err == nil {
		return c.Value
	}
	return ""
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

func random() string {
	b := make([]byte, 18)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// csrf is what a form of this browser must carry: only this server can make it, and it is given
// to no other browser.
func (v *Visit) csrf() string {
	if a, kept := v.Writer.(*recorder); kept {
		a.own = true
	}
	m := hmac.New(sha256.New, v.site.secret)
	_, _ = m.Write([]byte(v.self.id))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// own says whether a form was made for this browser.
func (v *Visit) own() bool {
	return hmac.Equal([]byte(v.Request.PostFormValue("csrf")), []byte(v.csrf()))
}

// Write is how a form's change is asked for. Its idempotency key was made with the form: sent
// twice, it is done once.
func (v *Visit) Write() *musterv1.Write {
	return &musterv1.Write{Reason: v.Request.PostFormValue("reason"), IdempotencyKey: v.Request.PostFormValue("key")}
}

// Reasoned is Write, where a reason must be given.
func (v *Visit) Reasoned() (*musterv1.Write, error) {
	w := v.Write()
	if strings.TrimSpace(w.GetReason()) == "" {
		return nil, Wrong("Reason", "is missing: say why, so that people can read it later")
	}
	return w, nil
}

// Say makes the next page say something once.
func (v *Visit) Say(text string) {
	setCookie(v.Writer, v.Request, cookieFlash, url.QueryEscape(text), 60)
}

// SayIf makes the next page say something once, unless something failed.
func (v *Visit) SayIf(err error, text string) {
	if err == nil {
		v.Say(text)
	}
}

func (v *Visit) flash() string {
	c, err := v.Request.Cookie(cookieFlash)
	if err != nil || v.Request.Header.Get("HX-Request") != "" {
		return ""
	}
	setCookie(v.Writer, v.Request, cookieFlash, "", -1)
	text, _ := url.QueryUnescape(c.Value)
	return text
}

// SignIn keeps a reader's token, if it is one.
func (s *Site) SignIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	token := strings.TrimSpace(r.PostFormValue("token"))
	setCookie(w, r, cookieToken, token, 12*3600)
	http.Redirect(w, r, back(r), http.StatusSeeOther)
}

// Refuse shows a reader why a sign-in did not come about, and the ways to try again.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	v, _ := s.visit(w, r) // which moment the page is about does not matter
	t := trouble{status: status, title: "Who are you?", text: why, signIn: true}
	v.head()
	w.WriteHeader(status)
	f := v.troubleFrame(t)
	_ = layout(f, Page{Title: t.title, Still: true, Status: status, Body: troubleBody(f, t)}).Render(v.Ctx, w)
}

// wanted is the page that a reader wanted before signing in.
func (v *Visit) wanted() string {
	if r := v.Request; r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, v.site.o.Login) || v.site.o.Login == "" {
		return r.URL.RequestURI()
	}
	return "/"
}

// loginPath leads to the provider, and back to the page that a reader wanted before signing in.
func (v *Visit) loginPath() string {
	return v.site.o.Login + "?" + url.Values{"back": {v.wanted()}}.Encode()
}

// SignOut forgets the reader's token.
func (s *Site) SignOut(w http.ResponseWriter, r *http.Request) {
	setCookie(w, r, cookieToken, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// back is the page that a form says it came from, if it is one of this server.
func back(r *http.Request) string { return OwnPath(r.PostFormValue("back")) }

// OwnPath is a path of this server, or else its first page. Browsers leave out blanks and
// control characters, and read a backslash as a slash: a path with such is no path.
func OwnPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return "/"
	}
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == '\\' }
	if !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsFunc(to, odd) || strings.ContainsFunc(u.Path, odd) {
		return "/"
	}
	return u.String()
}

// SignedAs asks the API in the name of a token that came with the request itself.
func (v *Visit) SignedAs(token string) {
	v.self.token = token
	v.Ctx = ask.As(v.Ctx, ask.Reader{Host: v.Request.Host, Token: token, Proof: v.Request.Header.Get("Muster-Proof")})
}
