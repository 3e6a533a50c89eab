package kube

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzDoor asks the agent's door for anything: what it lets through is no secret, no way into
// a pod or a node, no right, and nothing of the system's namespaces that is written.
func FuzzDoor(f *testing.F) {
	f.Add("GET", "/api/v1/namespaces/oak/pods/muster-0", "", "")
	f.Add("GET", "/api/v1/namespaces/oak/secrets/token", "", "")
	f.Add("DELETE", "/api/v1/namespaces/oak/pods/muster-0", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`)
	f.Add("PATCH", "/api/v1/nodes/n1", "application/merge-patch+json", `{"spec":{"taints":null}}`)
	f.Add("PATCH", "/api/v1/namespaces/kube-system/pods/muster-0", "application/strategic-merge-patch+json", `{"metadata":{"uid":"u"}}`)
	f.Add("POST", "/api/v1/namespaces/oak/pods/muster-0/exec", "", "")
	f.Fuzz(func(t *testing.T, method, path, kind, body string) {
		if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "" || !strings.HasPrefix(path, "/") {
			t.Skip()
		}
		is, err := url.Parse("http://inside" + path)
		if err != nil {
			t.Skip()
		}
		c := newCastle(t, Mode{Manage: true})
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL, r.Host = is, "inside"
		r.Header.Set("Content-Type", kind)
		why := c.outside.(*APIProxy).door.bars(r)
		if why != "" {
			return
		}
		for _, word := range []string{"/secrets", "/configmaps", "/exec", "/log", "/attach", "/portforward", "/proxy", "/rbac.", "/token", "/../"} {
			if strings.Contains(is.Path+"/", word+"/") || word == "/rbac." && strings.Contains(is.Path, word) {
				t.Errorf("%s %s passes", method, is.Path)
			}
		}
		if method != "GET" && method != "HEAD" && strings.Contains(is.Path, "/namespaces/kube-system/") {
			t.Errorf("%s %s passes", method, is.Path)
		}
	})
}
