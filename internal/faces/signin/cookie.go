package signin

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The cookies of a sign-in. Over TLS they are of this host alone, so that none can be
// planted from a neighbour in the domain.
const (
	cookieSession = "muster_sign_in"
	cookieWay     = "muster_login"
)

// Browsers keep cookies of 4096 bytes with name and attributes; a larger session takes
// several, up to mostParts.
const (
	partSize  = 3600
	mostParts = 4
)

func secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

func cookieName(r *http.Request, name string, part int) string {
	if part > 0 {
		name += "_" + strconv.Itoa(part)
	}
	if secure(r) {
		return "__Host-" + name
	}
	return name
}

// readCookie is a text that setCookie left; "": none.
func readCookie(r *http.Request, name string) string {
	var b strings.Builder
	for part := range mostParts {
		c, err := r.Cookie(cookieName(r, name, part))
		if err != nil {
			break
		}
		b.WriteString(c.Value)
	}
	return b.String()
}

// setCookie leaves a text with a browser, for a time; "" takes it away. False: it is too long.
func setCookie(w http.ResponseWriter, r *http.Request, name, text string, lasts time.Duration) bool {
	if len(text) > partSize*mostParts {
		return false
	}
	for part := range mostParts {
		value := text[:min(len(text), partSize)]
		text = text[len(value):]
		full := cookieName(r, name, part)
		age := int(lasts.Seconds())
		if value == "" {
			if age = -1; len(r.CookiesNamed(full)) == 0 {
				continue
			}
		}
		http.SetCookie(w, &http.Cookie{
			Name: full, Value: value, Path: "/", MaxAge: age,
			HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteLaxMode, // a link from elsewhere opens a page for its reader
		})
	}
	return true
}
