package provision_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/provision"
)

// git is told of a repository without what is secret about it, in whatever way that was given.
func TestAGitPlaceHasNoSecretInItsAddress(t *testing.T) {
	for _, c := range []struct{ place, token, address, says string }{
		{"https://git.example.org/x.git", "", "https://git.example.org/x.git", ""},
		{"https://git.example.org/x.git", "tok-123456", "https://git.example.org/x.git", "x-access-token:tok-123456"},
		{"https://ada:pa%2Fss-word@git.example.org/x.git", "", "https://git.example.org/x.git", "ada:pa/ss-word"},
		{"https://ada:pa%2Fss-word@git.example.org/x.git", "tok-123456", "https://git.example.org/x.git", "x-access-token:tok-123456"},
		{"https://ada@git.example.org/x.git", "", "https://ada@git.example.org/x.git", ""},
		{"ssh://git@git.example.org/x.git", "", "ssh://git@git.example.org/x.git", ""},
		{"git@git.example.org:x.git", "", "git@git.example.org:x.git", ""},
		{"/srv/git/x.git", "", "/srv/git/x.git", ""},
	} {
		g := provision.GitPlaceOf(c.place, c.token)
		header := strings.Join(g.Environment, " ")
		if g.Address != c.address || (c.says == "") != (header == "") || !strings.Contains(header, base64.StdEncoding.EncodeToString([]byte(c.says))) {
			t.Errorf("%s with token %q: %+v", c.place, c.token, g)
		}
		if strings.Contains(c.place, "pa%2Fss-word") && !slices.Contains(g.Secrets, "pa/ss-word") {
			t.Errorf("%s: the password is not among the secrets %v", c.place, g.Secrets)
		}
	}
}
