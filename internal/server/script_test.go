package server

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command line against servers of its own, as people would.
// Beside testscript's own commands the scripts have those of scriptCommands.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               drawnScripts(t),
		RequireExplicitExec: true,
		Cmds:                scriptCommands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "UTC")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector would pause a second at every end
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("MUSTER_NAMESPACE", "oak")
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			env.Setenv("DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("DATA2", filepath.Join(env.WorkDir, "data2"))
			env.Values["servers"] = map[string]*process{}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "mount":
				return canMount(), nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// drawnScripts are the files of all scripts, or of a part of them: MUSTER_SCRIPTS=17/3 is what a draw of
// 17 takes of three parts. The race detector makes each of them slow.
func drawnScripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob("../faces/cli/testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	draw, parts := 0, 1
	if is := os.Getenv("MUSTER_SCRIPTS"); is != "" {
		if _, err := fmt.Sscanf(is, "%d/%d", &draw, &parts); err != nil || parts < 1 || draw < 0 {
			t.Fatalf("MUSTER_SCRIPTS=%s is no draw of some parts, as 17/3 is", is)
		}
		t.Logf("scripts of the draw %s", is)
	}
	for i, file := range all {
		if i%parts == draw%parts {
			files = append(files, file)
		}
	}
	return files
}

// scriptCommands are what scripts can do besides running muster.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":    exits,
	"does":     doRemedy,
	"up":       startServer,
	"down":     stopServer,
	"ends":     endsByItself,
	"fill":     fillDisk,
	"fill-log": fillLog,
	"slept":    sleepFor,
	"now":      rememberNow,
	"huge":     writeHuge,
	"newer":    func(ts *testscript.TestScript, _ bool, args []string) { edit(ts, args[0], newerFormat...) },
	"damage":   func(ts *testscript.TestScript, _ bool, args []string) { edit(ts, args[0], damagedTail...) },
	"tmpfs":    mountTmpfs,
	"frozen":   freeze,
}

// exits CODE COMMAND... runs a command and compares its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	fitsATerminal(ts, args[1:])
}

// Lines of a terminal, and words that no line can hold together with others.
const (
	terminal = 100
	longWord = 60
)

// forPrograms are the options with which people get no page.
var forPrograms = regexp.MustCompile(`^(-o\w*|--output.*|--markdown|--help|-h|help|completion|export|metrics|blueprint|scenario|simulate|backtest|bench)$`)

// wider is how much wider a table may be here than on a terminal: a program reads it, and its names and the entries of
// its lists are whole.
const wider = 60

// longName says whether a line has a name, or an entry of a list, that a table breaks on a terminal.
func longName(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return strings.ContainsAny(word, "/-,") && utf8.RuneCountInString(word) > 18
	})
}

// fitsATerminal fails where a command told people a line that a terminal of 100 columns breaks.
func fitsATerminal(ts *testscript.TestScript, args []string) {
	said := ts.ReadFile("stdout")
	if args[0] != "muster" || slices.ContainsFunc(args, forPrograms.MatchString) || strings.Contains(said, "\nUsage:\n") {
		return // for programs, or help
	}
	most := terminal
	if slices.ContainsFunc(strings.Split(said, "\n"), longName) {
		most += wider
	}
	for line := range strings.SplitSeq(said, "\n") {
		long := slices.ContainsFunc(strings.Fields(line), func(word string) bool { return utf8.RuneCountInString(word) > longWord })
		if n := utf8.RuneCountInString(line); n > most && !long {
			ts.Fatalf("%v tells people a line of %d columns:\n%s", args, n, line)
		}
	}
}

// fillLog N changes a priority so often: the log has as many records more.
func fillLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill-log N")
	}
	times, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range times {
		ts.Check(ts.Exec("muster", "quota", "owner", "research/oak", fmt.Sprintf("user-%d", i)))
	}
}

// process is a server that a script started.
type process struct {
	cmd    *exec.Cmd
	output string // file with all that it wrote
	tail   chan struct{}
}

// What a server says when it begins, and when it is ready.
var (
	listening = regexp.MustCompile(`listens on (\S+),`)
	ready     = "Ctrl-C stops it"
)

// up NAME [FLAG...] starts a server on a free port and waits until it answers.
// MUSTER_SERVER is its address then, and NAME.out all that it wrote.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: up NAME [FLAG...]")
	}
	flags := append([]string{"up", "--listen", "127.0.0.1:0"}, args[1:]...)
	p, address := start(ts, args[0], exec.Command("muster", flags...))
	ts.Setenv("MUSTER_SERVER", address)
	servers(ts)[args[0]] = p
	ts.Defer(func() { _ = p.cmd.Process.Kill(); <-p.tail })
}

func servers(ts *testscript.TestScript) map[string]*process {
	return ts.Value("servers").(map[string]*process)
}

func start(ts *testscript.TestScript, name string, cmd *exec.Cmd) (*process, string) {
	p := &process{cmd: cmd, output: ts.MkAbs(name + ".out"), tail: make(chan struct{})}
	out, err := os.Create(p.output)
	ts.Check(err)
	pipe, w := io.Pipe()
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), w, out
	for _, key := range []string{"PATH", "HOME", "TZ", "GORACE", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	ts.Check(cmd.Start())
	address := make(chan string, 1)
	go p.copy(pipe, out, address)
	go func() { _ = w.CloseWithError(cmd.Wait()) }()
	at, ok := <-address
	if !ok {
		data, _ := os.ReadFile(p.output)
		ts.Fatalf("the server ended before it listened:\n%s", data)
	}
	return p, at
}

// copy writes a server's words to its file, and finds its address in them.
func (p *process) copy(from io.Reader, to io.WriteCloser, address chan<- string) {
	defer close(p.tail)
	defer to.Close()
	defer close(address)
	at := ""
	for lines := bufio.NewScanner(from); lines.Scan(); {
		_, _ = fmt.Fprintln(to, lines.Text())
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			at = m[1]
		}
		if strings.HasPrefix(lines.Text(), ready) {
			address <- at
		}
	}
}

// down NAME stops a server as Ctrl-C does, and checks that it ends well.
func stopServer(ts *testscript.TestScript, neg bool, args []string) {
	p := servers(ts)[args[0]]
	if neg || p == nil {
		ts.Fatalf("usage: down NAME, of a server that runs")
	}
	ts.Check(p.cmd.Process.Signal(os.Interrupt))
	<-p.tail
	if data, _ := os.ReadFile(p.output); !strings.Contains(string(data), "Stopped at version") {
		ts.Fatalf("the server did not stop well:\n%s", data)
	}
}

// ends NAME CODE waits until a server has ended by itself, with an exit code.
func endsByItself(ts *testscript.TestScript, neg bool, args []string) {
	p := servers(ts)[args[0]]
	if neg || p == nil {
		ts.Fatalf("usage: ends NAME CODE, of a server that runs")
	}
	<-p.tail
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("the server ended with exit code %s, want %s", got, args[1])
	}
}

// fill FOLDER leaves no room on the disk of a folder.
func fillDisk(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(filepath.Join(ts.MkAbs(args[0]), "filler"))
	ts.Check(err)
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); err != nil {
			return // it is full now
		}
	}
}

// now VARIABLE keeps the present moment.
func rememberNow(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], time.Now().UTC().Format(time.RFC3339Nano))
}

// huge FILE BEFORE BYTES AFTER writes a file with very many x in it.
func writeHuge(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	text := unescape(args[1]) + strings.Repeat("x", n) + unescape(args[3])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

func unescape(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }

var (
	newerFormat = []string{"UPDATE meta SET value = 99 WHERE key = 'format'", "PRAGMA user_version = 99"}
	damagedTail = []string{"UPDATE entry SET data = X'00' WHERE seq = (SELECT max(seq) FROM entry)"}
)

// edit changes a journal behind Muster's back.
func edit(ts *testscript.TestScript, folder string, statements ...string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(ts.MkAbs(folder), datafolder.Journal))
	ts.Check(err)
	defer db.Close()
	for _, s := range statements {
		_, err := db.Exec(s)
		ts.Check(err)
	}
}
