package frame

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzOwnPath reads any text as the address to go back to: it is one of this server.
func FuzzOwnPath(f *testing.F) {
	for _, text := range []string{"/", "/team/oak?x=1", "//host", "/\\host", "/\t/host", "http://host", "javascript:alert(1)", "/%2e%2e//host", "?a=b"} {
		f.Add(text)
	}
	here, _ := url.Parse("https://muster.example/page")
	f.Fuzz(func(t *testing.T, text string) {
		to := OwnPath(text)
		there, err := here.Parse(to)
		if err != nil || there.Host != here.Host || there.Scheme != here.Scheme || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			t.Fatalf("%q leads to %q", text, to)
		}
	})
}

// FuzzMoment reads any text as a moment: it is one, or a mistake that is named.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-11-21 12:00", "2h", "-9223372036854775808ns", "15:04", "0000-00-00"} {
		f.Add(text)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Moment(text, now); err != nil && len(err.Error()) > 400 {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
