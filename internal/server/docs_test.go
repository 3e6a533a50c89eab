package server

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

// planned are documents whose commands are to come.
var planned = []string{"docs/contract/maintenance.md", "docs/contract/cluster-life.md", "CHANGELOG.md"}

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	commandLine = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:bin/|kubectl |go run \./cmd/)?muster( .*|$)`)
	commandEnd  = regexp.MustCompile(` (?:#|\||&&|>|2>|&)(?: |$)|…|\(| \\$|;`)
)

// commandsIn finds the command lines that a document shows, in spans and in blocks.
func commandsIn(text string) []string {
	var found []string
	note := func(line string) {
		if m := commandLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			if end := commandEnd.FindStringIndex(m[1]); end != nil {
				m[1] = m[1][:end[0]]
			}
			found = append(found, strings.TrimSpace(m[1]))
		}
	}
	fenced := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced:
			note(line)
		default:
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				note(m[1])
			}
		}
	}
	return found
}

// missing says what of a command line the program does not have: a command or a flag.
// A word in capitals, a path or a quoted text is the reader's to fill in; a|b names two.
func missing(root *cobra.Command, line string) string {
	cmd, value := root, false
	for _, word := range strings.Fields(line) {
		word = strings.Trim(word, "[],.'\"")
		switch {
		case value:
			value = false // of the flag before it
		case strings.HasPrefix(word, "--"):
			name, _, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			flag := flagNamed(cmd, name)
			if flag == nil && name != "help" {
				return cmd.CommandPath() + " has no flag --" + name
			}
			value = !given && flag != nil && flag.NoOptDefVal == ""
		case !cmd.HasSubCommands() || strings.HasPrefix(word, "-") || strings.ToLower(word) != word:
		default:
			next, says := commandNamed(cmd, word)
			if says != "" || next == nil {
				return says
			}
			cmd = next
		}
	}
	return ""
}

func flagNamed(cmd *cobra.Command, name string) *pflag.Flag {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f
	}
	return cmd.InheritedFlags().Lookup(name)
}

// commandNamed is the command that a word names, or says that there is none. Of several, a|b,
// each must be there, and none is meant alone. Arguments of the command are no names.
func commandNamed(cmd *cobra.Command, word string) (next *cobra.Command, says string) {
	for one := range strings.SplitSeq(word, "|") {
		next, _, _ = cmd.Find([]string{one})
		if (next == nil || next == cmd) && !strings.Contains(cmd.Use, "[") {
			return nil, cmd.CommandPath() + " has no command " + one
		}
	}
	if strings.Contains(word, "|") || next == cmd {
		return nil, ""
	}
	return next, ""
}

// TestDocumentsNameCommandsThatExist reads every document of the repository.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	const top = "../.."
	root, count := program(&cli.Env{Getenv: func(string) string { return "" }}).Root(), 0
	err := fs.WalkDir(os.DirFS(top), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || name == "bin" || name == "docs/adr" || name == ".git" || name == "test") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" || slices.Contains(planned, name) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(top, name))
		for _, line := range commandsIn(string(data)) {
			count++
			if says := missing(root, line); says != "" {
				t.Errorf("%s shows `muster %s`: %s; name what exists, or say that it is planned", name, line, says)
			}
		}
		return err
	})
	if err != nil || count < 100 {
		t.Errorf("%d commands were seen: %v", count, err)
	}
}

// TestTheTestsThatDocumentsNameExist reads the documents, and all tests.
func TestTheTestsThatDocumentsNameExist(t *testing.T) {
	root, named, there := os.DirFS("../.."), map[string]string{}, map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if name == "docs/adr" || name == ".git" || name == "bin" || entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return err
		}
		test, doc := strings.HasSuffix(name, "_test.go"), filepath.Ext(name) == ".md" && name != "CHANGELOG.md"
		if !test && !doc {
			return nil
		}
		data, err := fs.ReadFile(root, name)
		for _, m := range testFunc.FindAllSubmatch(data, -1) {
			there[string(m[1])] = there[string(m[1])] || test
		}
		for _, m := range testSpan.FindAllSubmatch(data, -1) {
			if doc {
				named[string(m[1])] = name
			}
		}
		return err
	})
	if err != nil || len(named) < 30 {
		t.Errorf("%d names of tests were seen: %v", len(named), err)
	}
	for name, doc := range named {
		if !there[name] {
			t.Errorf("%s names the test %s, which does not exist", doc, name)
		}
	}
}

var (
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testSpan = regexp.MustCompile("`(Test[A-Z]\\w+)`")
)

func TestACommandThatDoesNotExistIsFound(t *testing.T) {
	root := program(&cli.Env{Getenv: func(string) string { return "" }}).Root()
	for line, wrong := range map[string]bool{
		"capacity": false, "quota grant solo tiger/h200 32 --dry-run": false, "cluster ready|mode tiger": false, "submit --name=x --target flex": false,
		"capacities": true, "quota give solo": true, "quota grant solo tiger/h200 32 --force": true, "cluster ready|moods": true, "--demo": true,
	} {
		if got := missing(root, line) != ""; got != wrong {
			t.Errorf("muster %s is wrong: %v, want %v", line, got, wrong)
		}
	}
}

// offered are the commands that pages and reasons offer: as arguments of words.Shell, up to the first that is no literal, and as
// text of a template or of a message.
var (
	offeredShell = regexp.MustCompile(`words\.Shell\("muster"((?:, "[^"]*")+)`)
	offeredCode  = regexp.MustCompile(`<code>muster ([^<{]+)`)
	offeredWords = regexp.MustCompile(`\bmuster ((?:[a-z]+ )+--[a-z][a-z-]*)(":)?`)
)

// TestPagesOfferCommandsThatExist reads what pages, the API and answers are made of.
func TestPagesOfferCommandsThatExist(t *testing.T) {
	root, count := program(&cli.Env{Getenv: func(string) string { return "" }}).Root(), 0
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		is := strings.HasSuffix(name, ".templ") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_templ.go")
		if err != nil || entry.IsDir() || !is {
			return err
		}
		data, err := os.ReadFile(filepath.Join("..", name))
		var lines []string
		for _, m := range offeredShell.FindAllStringSubmatch(string(data), -1) {
			lines = append(lines, strings.ReplaceAll(strings.ReplaceAll(m[1], ", ", " "), `"`, ""))
		}
		for _, m := range offeredCode.FindAllStringSubmatch(string(data), -1) {
			lines = append(lines, m[1])
		}
		for _, m := range offeredWords.FindAllStringSubmatch(string(data), -1) {
			if m[2] == "" { // else it is a mistake, as the key of what is said of it
				lines = append(lines, m[1])
			}
		}
		for _, line := range lines {
			count++
			if says := missing(root, strings.TrimSpace(line)); says != "" {
				t.Errorf("%s offers `muster %s`: %s", name, line, says)
			}
		}
		return err
	})
	if err != nil || count < 20 {
		t.Errorf("%d commands were seen: %v", count, err)
	}
}
