package frame

import "testing"

// A form leads back to a page of this server, whatever a browser makes of the text.
func TestFormsLeadBackToThisServerOnly(t *testing.T) {
	for to, want := range map[string]string{
		"/":                      "/",
		"/queue?target=flex#top": "/queue?target=flex#top",
		"":                       "/",
		"//elsewhere":            "/",
		"/\\elsewhere":           "/",
		"/\telsewhere":           "/",
		"/\t/elsewhere":          "/",
		"/%09/elsewhere":         "/",
		"/%5celsewhere":          "/",
		"/\n/elsewhere":          "/",
		"https://elsewhere":      "/",
		"javascript:alert(1)":    "/",
		"elsewhere":              "/",
		"/ /elsewhere":           "/",
		"/%2f/elsewhere":         "/",
	} {
		if got := OwnPath(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}
