package gitcheckin_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/gitcheckin"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// run runs git as a person does.
func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository is a bare repository with one commit on main, and a person's copy of it.
func repository(t *testing.T) (bare, person string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	bare, person = filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "copy")
	run(t, "", "init", "--bare", "--quiet", bare)
	run(t, "", "clone", "--quiet", bare, person)
	run(t, person, "commit", "--quiet", "--allow-empty", "-m", "begin")
	run(t, person, "push", "--quiet", "origin", "HEAD:main")
	return bare, person
}

func order() provision.Order {
	return provision.Order{
		ID: "lynx.checkin.g1.1", Step: fleet.StepCheckin, Generation: 1, Attempt: 1,
		Record: fleet.ClusterRecord{
			Name: "lynx", Provider: "azure", Subscription: "s1", Region: "east", GPU: "h200", GPUsPerNode: 8, Blueprint: "nd",
			Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}}, Variables: map[string]string{"db_token": "env:DB_TOKEN"},
		},
	}
}

func subject(o provision.Order) provision.Subject { return provision.Subject{Record: o.Record} }

// The branch is pushed once, whatever is lost; the cluster is checked in when a person has merged it.
func TestACheckinIsPushedOnceAndThenMerged(t *testing.T) {
	bare, person := repository(t)
	now := time.Now()
	c, o := &gitcheckin.Checkin{Repository: bare, Now: func() time.Time { return now }}, order()
	if _, found, err := c.Find(t.Context(), o); found || err != nil {
		t.Fatalf("before it began: found %v, %v", found, err)
	}
	is, err := c.Begin(t.Context(), o)
	if err != nil || is.State != fleet.OperationSucceeded || !strings.Contains(is.Detail, "muster/lynx.checkin.g1.1") {
		t.Fatalf("%+v, %v", is, err)
	}
	var no *provision.Refused // within the same second it is the same commit, and there is nothing to push
	if again, err := c.Begin(t.Context(), o); err == nil && again.Detail != is.Detail || err != nil && (!errors.As(err, &no) || no.Class != fleet.ErrorRetry) {
		t.Errorf("pushing it again, as after a lost answer: %+v, %v", again, err)
	}
	if again, found, err := c.Find(t.Context(), o); !found || err != nil || again.Detail != is.Detail {
		t.Errorf("the branch is not found: %+v, %v", again, err)
	}
	if commit, err := c.CheckedIn(t.Context(), subject(o)); commit != "" || err != nil {
		t.Errorf("checked in before anybody merged: %q, %v", commit, err)
	}

	run(t, person, "fetch", "--quiet", "origin")
	run(t, person, "merge", "--quiet", "--ff-only", "origin/muster/lynx.checkin.g1.1")
	run(t, person, "push", "--quiet", "origin", "HEAD:main")
	run(t, person, "push", "--quiet", "origin", ":muster/lynx.checkin.g1.1")
	if commit, err := c.CheckedIn(t.Context(), subject(o)); commit != "" || err != nil {
		t.Errorf("the branch was asked for within 30 s again: %q, %v", commit, err)
	}
	now = now.Add(time.Minute)
	commit, err := c.CheckedIn(t.Context(), subject(o))
	if err != nil || commit != run(t, person, "rev-parse", "HEAD") {
		t.Errorf("merged: %q, %v", commit, err)
	}
	if _, found, err := c.Find(t.Context(), o); !found || err != nil {
		t.Errorf("merged, and its branch gone: found %v, %v", found, err)
	}
	data, err := os.ReadFile(filepath.Join(person, "clusters", "lynx.yaml"))
	if err != nil || !strings.Contains(string(data), "db_token: env:DB_TOKEN") || !strings.Contains(string(data), "nodes: 4") {
		t.Errorf("the file says %s, %v", data, err)
	}

	o.Record.Islands[0].Nodes = 8 // another record than the one that is checked in
	if commit, err := c.CheckedIn(t.Context(), subject(o)); commit != "" || err != nil {
		t.Errorf("another record counts as checked in: %q, %v", commit, err)
	}
}

// What stands on the branch that counts is kept: others' files stay.
func TestOthersFilesStay(t *testing.T) {
	bare, person := repository(t)
	if err := os.WriteFile(filepath.Join(person, "README.md"), []byte("ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, person, "add", ".")
	run(t, person, "commit", "--quiet", "-m", "readme")
	run(t, person, "push", "--quiet", "origin", "HEAD:main")
	c, o := &gitcheckin.Checkin{Repository: bare, Folder: "fleet/new"}, order()
	if _, err := c.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	run(t, person, "fetch", "--quiet", "origin")
	if files := run(t, person, "ls-tree", "-r", "--name-only", "origin/muster/lynx.checkin.g1.1"); files != "README.md\nfleet/new/lynx.yaml" {
		t.Errorf("the branch holds %q", files)
	}
}

// A repository that is not there, or has no such branch, is for people to mend, and no error
// holds a secret.
func TestRefusalsHaveClasses(t *testing.T) {
	bare, _ := repository(t)
	for name, c := range map[string]*gitcheckin.Checkin{
		"no repository": {Repository: filepath.Join(t.TempDir(), "none.git")},
		"no branch":     {Repository: bare, Branch: "release"},
	} {
		var no *provision.Refused
		if _, err := c.Begin(t.Context(), order()); !errors.As(err, &no) || no.Class != fleet.ErrorFix {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := &gitcheckin.Checkin{Repository: "https://bot:planted@127.0.0.1:1/x.git", Token: "planted-too"}
	_, err := c.Begin(t.Context(), order())
	if err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("the error is %v", err)
	}
}

// Who may push to the repository puts links into it, and Muster writes nowhere else by them.
func TestNoLinkLeadsOutOfTheRepository(t *testing.T) {
	for name, links := range map[string][2]string{
		"the folder of records": {"clusters", ""}, "a record": {"clusters/lynx.yaml", "lynx.yaml"}, "a link within": {"clusters/lynx.yaml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bare, person := repository(t)
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "lynx.yaml"), []byte("mine\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(outside, links[1])
			if name == "a link within" {
				to = "../.git/config"
			}
			at := filepath.Join(person, filepath.FromSlash(links[0]))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(to, at)); err != nil {
				t.Fatal(err)
			}
			run(t, person, "add", ".")
			run(t, person, "commit", "--quiet", "-m", "link")
			run(t, person, "push", "--quiet", "origin", "HEAD:main")
			c, o := &gitcheckin.Checkin{Repository: bare}, order()
			var no *provision.Refused
			if _, err := c.Begin(t.Context(), o); !errors.As(err, &no) || no.Class != fleet.ErrorFix || !strings.Contains(err.Error(), "is a link") {
				t.Errorf("pushed: %v", err)
			}
			if _, err := c.CheckedIn(t.Context(), subject(o)); err == nil || !strings.Contains(err.Error(), "is a link") {
				t.Errorf("read: %v", err)
			}
			if is, _ := os.ReadFile(filepath.Join(outside, "lynx.yaml")); string(is) != "mine\n" {
				t.Errorf("outside stands %q", is)
			}
		})
	}
}

// A token goes to the host that it is for, and to none that this one sends git on to.
func TestATokenIsNotSentOn(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	var mu sync.Mutex
	var shown []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		fmt.Fprint(w, "001e# service=git-upload-pack\n000000000000")
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/x.git/info/refs?service=git-upload-pack", http.StatusFound))
	defer first.Close()
	c := &gitcheckin.Checkin{Repository: first.URL + "/x.git", Token: "planted"}
	if _, _, err := c.Find(t.Context(), order()); err == nil {
		t.Error("git went on to another host")
	}
	mu.Lock()
	defer mu.Unlock()
	if len(shown) > 0 {
		t.Errorf("the other host was asked: %q", shown)
	}
}
