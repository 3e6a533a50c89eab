package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// askedBy names the variable by which a process of this test's own is told whom to ask.
const askedBy = "MUSTER_TEST_ASKS"

// nobodyElse is a user that every Linux has, and that runs no server.
const nobodyElse = 65534

// TestAsksAsAnotherUser is what the process of another user does; alone it does nothing.
func TestAsksAsAnotherUser(t *testing.T) {
	at := os.Getenv(askedBy)
	if at == "" {
		t.Skip("it is started by TestARealOtherUserIsRefused")
	}
	res, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	fmt.Printf("answered with %d as %d\n", res.StatusCode, os.Getuid())
}

// A process of another user of this machine is refused, as the kernel says whose it is, and
// reads neither the token's file nor its folder. It takes root to start such a process.
func TestARealOtherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts a process of another user")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "muster", "local", "token")
	l, err := NewLocalToken(file)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(connected(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := l.Identify(r); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})))
	defer server.Close()
	program := filepath.Join(dir, "asks")
	copied(t, program)
	for _, parent := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for uid, want := range map[uint32]string{0: "answered with 200 as 0", nobodyElse: fmt.Sprintf("answered with 401 as %d", nobodyElse)} {
		if says := runAs(t, uid, program, askedBy+"="+server.URL, "-test.run=^TestAsksAsAnotherUser$", "-test.v"); !strings.Contains(says, want) {
			t.Errorf("a process of user %d: %s", uid, says)
		}
	}
	if says := runAs(t, nobodyElse, "/bin/cat", "", file); !strings.Contains(says, "denied") || strings.Contains(says, l.token) {
		t.Errorf("another user reads the token: %s", says)
	}
}

// copied puts this test's program where other users may start it.
func copied(t *testing.T, to string) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(own)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// runAs is what a program of a user prints.
func runAs(t *testing.T, uid uint32, program, env string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env, c.Dir = []string{env, "HOME=/", "PATH=/bin:/usr/bin"}, "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	says, _ := c.CombinedOutput() // a refusal ends with an error, and says it
	return string(says)
}
