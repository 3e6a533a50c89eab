package notify

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A webhook does not reach this machine, by whatever name, unless the policy says so; and what
// it says of a failure never has the URL in it.
func TestWebhooksStayOutOfThisMachine(t *testing.T) {
	called := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called++ }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	call := func(e Egress, url string) error {
		to := &sender{to: fleet.Subscription{Name: "a", URL: url}, client: e.client(), hosts: e, now: time.Now}
		return to.call(context.Background(), Notice{ID: "1"})
	}
	for _, url := range []string{s.URL + "/secret-path", "http://localhost" + port + "/secret-path", "http://[::ffff:127.0.0.1]" + port + "/secret-path", "http://169.254.169.254/secret-path", "http://0.0.0.0" + port + "/secret-path"} {
		if err := call(Egress{}, url); !errors.Is(err, errLocal) || strings.Contains(err.Error(), "secret-path") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if called > 0 {
		t.Errorf("it was called %d times", called)
	}
	if err := call(Egress{Local: true}, s.URL); err != nil {
		t.Errorf("where the policy says so: %v", err)
	}
	for url, ok := range map[string]bool{"https://hooks.example.org/secret-path": true, "https://a.chat.example.org/x": true, "https://evil.example.net/secret-path": false, "https://example.org.evil.net/": false} {
		e := Egress{Hosts: []string{"hooks.example.org", ".chat.example.org"}}
		host := strings.Split(url, "/")[2]
		if e.allows(host) != ok {
			t.Errorf("%s: %t", url, !ok)
		}
	}
	if err := call(Egress{Hosts: []string{"hooks.example.org"}}, "https://evil.example.net/secret-path"); err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("a host that may not be called: %v", err)
	}
	if err := call(Egress{Local: true}, "http://127.0.0.1:1/secret-path"); err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("a failure says: %v", err)
	}
}

// What a URL itself says of where it leads is enough to refuse it before the first call, as that would be.
func TestAURLThatNoCallCanGoToIsKnown(t *testing.T) {
	only := Egress{Hosts: []string{"hooks.example.org"}}
	for _, one := range []struct {
		to   Egress
		url  string
		want string // "": it is let be
	}{
		{Egress{}, "http://127.0.0.1:9999/x", "--webhooks-local"},
		{Egress{}, "https://LOCALHOST/x", "--webhooks-local"},
		{Egress{}, "https://169.254.169.254/", "--webhooks-local"},
		{Egress{}, "http://169.254.169.254/", "--webhooks-local"},
		{Egress{}, "https://[::ffff:127.0.0.1]/", "--webhooks-local"},
		{Egress{}, "https://10.0.0.7/", ""},
		{Egress{}, "https://hooks.example.org/", ""},
		{Egress{Local: true}, "http://127.0.0.1:9999/x", ""},
		{only, "https://evil.example.net/", "name one of hooks.example.org"},
		{only, "https://hooks.example.org/", ""},
	} {
		err := one.to.refuses(one.url)
		if (err == nil) != (one.want == "") || err != nil && !strings.Contains(err.Error(), one.want) {
			t.Errorf("%+v: %v", one, err)
		}
	}
}
