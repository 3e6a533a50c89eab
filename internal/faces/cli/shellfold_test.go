package cli

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// The commands of muster undo, with names as people have them, fit into 100 columns, and a shell
// reads the lines of one as the one command that it is.
func TestCommandsToCopyFitTheTableAndStayCommands(t *testing.T) {
	commands := []string{
		"muster quota grant research/posttraining/oak tiger/h200 96 --gang 80 --overcommit --reason 'undo 1234'",
		"muster quota grant research/posttraining/evaluations-of-large-models tiger/h200 0 --reason 'undo 9'",
		"muster quota transfer research/elm research/posttraining/evaluations-of-large-models tiger/h200 8 --reason 'undo 12'",
		"muster node uncordon tiger-h200-i1-001 tiger-h200-i1-003 tiger-h200-i2-001 tiger-h200-i2-003..004 tiger-h200-i4-001 --reason 'undo 11'",
		`muster quota owner research/posttraining/evaluations-of-large-models 'the people of '\''oak'\'', all of them and nobody else' --reason 'undo 7'`,
		"muster job cancel oak/one --reason 'undo 3'",
	}
	u := undoTable("")
	for i, c := range commands {
		u.add(uint64(i), "2026-11-27 22:16", "operator:olga", c)
	}
	var out strings.Builder
	u.show(&out, false, clock{}, false)
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got, want := strings.Count(out.String(), " \\\n"), 5; got != want {
		t.Errorf("%d lines go on in the next, not %d:\n%s", got, want, out.String())
	}
	for i, c := range commands {
		lines := foldShell(c, 60)
		said, err := exec.Command("sh", "-c", "muster() { printf '%s\\n' \"$@\"; }\n"+strings.Join(lines, "\n   ")).Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := exec.Command("sh", "-c", "muster() { printf '%s\\n' \"$@\"; }\n"+c).Output()
		if err != nil || string(said) != string(want) {
			t.Errorf("command %d is read as %q, not %q (%v)", i, said, want, err)
		}
	}
}
