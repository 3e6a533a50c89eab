package server

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
)

// operator runs the commands of docs/operate.md, with places of this test in the place of the
// document's.
type operator struct {
	t      *testing.T
	dir    string
	db     *pgtest.Server
	places []string // pairs for a strings.Replacer
	up     map[string]*exec.Cmd
}

// TestEveryCommandOfTheOperatorsGuideRuns runs them all, in the order of the document.
func TestEveryCommandOfTheOperatorsGuideRuns(t *testing.T) {
	text, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t: t, dir: t.TempDir(), db: pgtest.Start(t, "fsync = off"), up: map[string]*exec.Cmd{}}
	o.db.SQL("CREATE DATABASE copied", "CREATE DATABASE several")
	o.prepare()
	n := 0
	for _, line := range commandsOf(string(text)) {
		n++
		o.run(line)
	}
	if n < 10 {
		t.Errorf("the document has only %d commands", n)
	}
}

// commandsOf are the lines of the blocks of a document that a shell runs.
func commandsOf(text string) (lines []string) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "```sh":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// prepare makes the files and places that the document speaks of.
func (o *operator) prepare() {
	file := func(name string) string { return filepath.Join(o.dir, name) }
	sum := sha256.Sum256([]byte("ops-0123456789abcdefghij"))
	write(o.t, file("tokens.yaml"), "- {token_sha256: "+hex.EncodeToString(sum[:])+", user: ops, operator: true}\n")
	write(o.t, file("kubeconfig"), "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: x, user: {}}]\n")
	if err := ownCertificate(file("server.crt"), file("server.key")); err != nil {
		o.t.Fatal(err)
	}
	api, agents := freeAddress(o.t), freeAddress(o.t)
	o.places = []string{
		"/var/lib/muster", file("data"), "/backup/", o.dir + "/", "tokens.yaml", file("tokens.yaml"), "server.crt", file("server.crt"), "server.key", file("server.key"),
		"tiger.pem", file("tiger.pem"), "0.0.0.0:6878", api, "server-1.example.com:6878", api, "server-2.example.com:6878", freeAddress(o.t), "server-1.example.com:6879", agents,
		"server-2.example.com:6879", freeAddress(o.t),
	}
}

// run runs one command. A server and an agent are left running once they are ready; one that
// has the same folder ends before.
func (o *operator) run(line string) {
	o.t.Helper()
	database := "/postgres"
	switch {
	case strings.HasPrefix(line, "muster journal copy"):
		database = "/copied"
	case strings.Contains(line, "--advertise"):
		database = "/several"
	}
	address := strings.TrimSuffix(o.db.Address(), "/postgres") + database
	words := strings.Fields(strings.NewReplacer(append([]string{"postgres://muster@db.example.com/muster", address, "2026-11-20T14:00:00Z", time.Now().UTC().Format(time.RFC3339)}, o.places...)...).Replace(line))
	serves := strings.HasPrefix(line, "muster up") || strings.HasPrefix(line, "muster agent --server")
	if strings.HasPrefix(line, "muster up") {
		if !strings.Contains(line, "--listen") {
			words = append(words, "--listen", freeAddress(o.t))
		}
		if strings.Contains(line, "postgres://") { // another folder: it has another journal
			for i, w := range words {
				if w == "--data" {
					words[i+1] += filepath.Base(database)
				}
			}
		}
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), "MUSTER_TOKEN=ops-0123456789abcdefghij", "SSL_CERT_FILE="+filepath.Join(o.dir, "server.crt"), "KUBECONFIG="+filepath.Join(o.dir, "kubeconfig"))
	if !serves {
		if out, err := cmd.CombinedOutput(); err != nil {
			o.t.Errorf("%s\n%v: %s", line, err, out)
		}
		return
	}
	o.serve(line, cmd)
}

// serve starts what runs until it is told to end, and waits until it is ready.
func (o *operator) serve(line string, cmd *exec.Cmd) {
	o.t.Helper()
	key := ""
	for i, w := range cmd.Args {
		if w == "--data" {
			key = cmd.Args[i+1]
		}
	}
	if was := o.up[key]; was != nil {
		_ = was.Process.Signal(os.Interrupt)
		_ = was.Wait()
	}
	pipe, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.up[key] = cmd
	o.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	late := time.AfterFunc(time.Minute, func() { _ = w.CloseWithError(io.ErrUnexpectedEOF) })
	defer late.Stop()
	said := ""
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		said += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), ready) || strings.Contains(lines.Text(), "the agent begins") {
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			return
		}
	}
	o.t.Fatalf("%s\nis not ready: %s", line, said)
}
