package provision_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/provision"
)

// FuzzGitPlace reads anything as the address of a repository: a password in it is in no argument of
// git, and is masked in what git says.
func FuzzGitPlace(f *testing.F) {
	f.Add("https://bot:planted-secret@example.org/x.git", "")
	f.Add("https://planted-secret@example.org/x.git", "token-of-git")
	f.Add("ssh://git@example.org/x.git", "")
	f.Add("/srv/x.git", "token-of-git")
	f.Fuzz(func(t *testing.T, place, token string) {
		g := provision.GitPlaceOf(place, token)
		if len(token) >= 6 && strings.Contains(provision.Masker(g.Secrets...)("x "+token+" x"), token) && len(g.Secrets) > 0 {
			t.Fatalf("the token of %q is not masked", place)
		}
		u, err := url.Parse(place)
		if err != nil || u.User == nil || u.Scheme != "https" {
			return
		}
		if password, has := u.User.Password(); has && password != "" {
			if to, err := url.Parse(g.Address); err != nil || to.User != nil {
				t.Fatalf("%q is shown to git as %q", place, g.Address)
			}
		}
	})
}
