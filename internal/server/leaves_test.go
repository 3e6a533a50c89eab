package server

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

// unexampled are the commands whose help has no example, and why.
var unexampled = map[string]string{
	"completion": "cobra's own help says how its scripts are loaded",
}

// untold are the commands that no script and no other test runs by their words, and why.
var untold = map[string]string{
	"completion":           "cobra's own",
	"scenario conformance": "TestConformancePage holds what it prints",
}

// leavesOf are the commands that do something, below one.
func leavesOf(cmd *cobra.Command) (leaves []*cobra.Command) {
	for _, c := range cmd.Commands() {
		switch {
		case c.Hidden || c.Name() == "help":
		case c.HasSubCommands():
			leaves = append(leaves, leavesOf(c)...)
		default:
			leaves = append(leaves, c)
		}
	}
	return leaves
}

// wordsOf are the words by which people give a command, without the program's name.
func wordsOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// excused says whether a list names a command, or all commands below its first words.
func excused(list map[string]string, words string) bool {
	for some := range list {
		if words == some || strings.HasPrefix(words, some+" ") {
			return true
		}
	}
	return false
}

// given are the ways in which a test gives a command: its words, with each of its other names.
func given(cmd *cobra.Command) []string {
	ways := []string{" "}
	for c := cmd; c.HasParent(); c = c.Parent() {
		var longer []string
		for _, name := range append([]string{c.Name()}, c.Aliases...) {
			for _, way := range ways {
				longer = append(longer, " "+name+way)
			}
		}
		ways = longer
	}
	if cmd.Parent() == cmd.Root() { // one word alone says too little
		ways = []string{" muster " + cmd.Name() + " ", `"` + cmd.Name() + `"`, `"` + cmd.Name() + " "}
	}
	return ways
}

var (
	unrun        = regexp.MustCompile(`(?m)^\s*(?://|#|!? ?stdout|!? ?stderr|!? ?grep).*$`)
	betweenWords = regexp.MustCompile("[\"'`,()\\[\\]{} ]+")
)

// told is what scripts and tests run, as it stands there and word after word: no comments, no expected output.
func told(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	root := os.DirFS("../..")
	for _, top := range []string{"internal", "test"} {
		err := fs.WalkDir(root, top, func(name string, _ fs.DirEntry, err error) error {
			if base := path.Base(name); err != nil || base == "leaves_test.go" || path.Ext(name) != ".txtar" && !strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			text = unrun.ReplaceAll(text, nil)
			all.Write(text)
			all.Write(betweenWords.ReplaceAll(text, []byte(" ")))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.ReplaceAll(all.String(), "\n", " \n ")
}

func allLeaves(t *testing.T) []*cobra.Command {
	t.Helper()
	leaves := leavesOf(program(&cli.Env{Getenv: func(string) string { return "" }}).Root())
	if len(leaves) < 100 {
		t.Fatalf("only %d commands were found", len(leaves))
	}
	return leaves
}

// Who asks for the help of a command finds a line that works as it stands.
func TestEachCommandHasAnExample(t *testing.T) {
	for _, cmd := range allLeaves(t) {
		words := wordsOf(cmd)
		switch out := excused(unexampled, words); {
		case cmd.Example == "" && !out:
			t.Errorf("muster %s has no example: give it one that works as it stands", words)
		case cmd.Example != "" && out:
			t.Errorf("muster %s has an example: take it out of unexampled", words)
		case cmd.Example != "" && !strings.Contains(cmd.Example, "muster "+words):
			t.Errorf("no example of muster %s gives it", words)
		}
	}
}

// The examples name commands and flags that exist.
func TestTheExamplesAreCommands(t *testing.T) {
	for _, cmd := range allLeaves(t) {
		for line := range strings.Lines(cmd.Example) {
			for _, one := range commandsIn("`" + strings.TrimSpace(line) + "`") {
				if says := missing(cmd.Root(), one); says != "" {
					t.Errorf("the help of muster %s shows `muster %s`: %s", wordsOf(cmd), one, says)
				}
			}
		}
	}
}

// What a command prints is held by a script, or by another test that runs it.
func TestEachCommandStandsInATest(t *testing.T) {
	text := told(t)
	stands := func(way string) bool { return strings.Contains(text, way) }
	for _, cmd := range allLeaves(t) {
		words := wordsOf(cmd)
		if in, out := slices.ContainsFunc(given(cmd), stands), excused(untold, words); in == out {
			t.Errorf("muster %s stands in a test: %v; untold leaves it out: %v", words, in, out)
		}
	}
}
