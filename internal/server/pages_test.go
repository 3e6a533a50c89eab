package server

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// The pages are opened in a browser by internal/faces/web/e2e: over the demo, and over a
// fleet with a past. It needs
// chromium, node, and `npm ci` in that folder; where one is missing the test is
// skipped, unless MUSTER_E2E=1 demands it.
func TestPages(t *testing.T) {
	e2e := filepath.Join("..", "..", "internal", "faces", "web", "e2e")
	if missing := notThere(e2e); missing != "" {
		if os.Getenv("MUSTER_E2E") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	muster, err := exec.LookPath("muster")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		script string
		serve  func(context.Context, *testing.T, string) string
	}{{"pages.mjs", demoServer}, {"lived.mjs", livedServer}} {
		t.Run(one.script, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 25*time.Minute)
			defer stop()
			address := one.serve(ctx, t, muster)
			cmd := exec.CommandContext(ctx, "node", one.script, "http://"+address, muster)
			cmd.Dir = e2e
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Fatalf("the pages: %v", err)
			}
		})
	}
}

// TestSignInAtARealProvider signs in by a browser and by the command line at an OpenID
// Connect provider of npm. It needs what TestPages needs.
func TestSignInAtARealProvider(t *testing.T) {
	e2e := filepath.Join("..", "..", "internal", "faces", "web", "e2e")
	missing := notThere(e2e)
	if _, err := os.Stat(filepath.Join(e2e, "node_modules", "oidc-provider")); missing == "" && err != nil {
		missing = "run npm ci in internal/faces/web/e2e first: no provider is there to sign in at"
	}
	if missing != "" {
		if os.Getenv("MUSTER_E2E") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	muster, err := exec.LookPath("muster")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", "signin.mjs", muster)
	cmd.Dir = e2e
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("signing in: %v", err)
	}
}

// notThere says what the test of the pages lacks; "" where it has all.
func notThere(e2e string) string {
	if os.Getenv("MUSTER_E2E") == "0" {
		return "MUSTER_E2E=0: the pages are not opened in a browser"
	}
	browser := os.Getenv("CHROMIUM")
	if browser == "" {
		browser = "/usr/bin/chromium"
	}
	if _, err := os.Stat(browser); err != nil {
		return "no chromium at " + browser + " (CHROMIUM names another place): the pages are not opened in a browser"
	}
	if _, err := exec.LookPath("node"); err != nil {
		return "no node: the pages are not opened in a browser"
	}
	if _, err := os.Stat(filepath.Join(e2e, "node_modules", "playwright-core")); err != nil {
		return "run npm ci in internal/faces/web/e2e first: the pages are not opened in a browser"
	}
	return ""
}

// demoServer starts the demo and says where it listens.
func demoServer(ctx context.Context, t *testing.T, muster string) string {
	t.Helper()
	return serverAt(ctx, t, muster, "up", "--demo", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
}

// serverAt starts a server and says where it listens.
func serverAt(ctx context.Context, t *testing.T, muster string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, muster, args...)
	pipe, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	address := make(chan string, 1)
	go func() {
		seen, buffer := "", make([]byte, 4096)
		for {
			n, err := pipe.Read(buffer)
			if err != nil {
				return
			}
			if len(seen) < 1<<16 {
				seen += string(buffer[:n])
			}
			if m := demoAddress.FindStringSubmatch(seen); m != nil {
				select {
				case address <- m[1]:
				default:
				}
			}
		}
	}()
	select {
	case at := <-address:
		return at
	case <-time.After(time.Minute):
		t.Fatal("the server did not say where it listens")
	}
	return ""
}

var demoAddress = regexp.MustCompile(`listens on (127\.0\.0\.1:\d+)`)
