package tofu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log is shown from its end, in whole lines; where there is none, that is no error.
func TestTheEndOfALog(t *testing.T) {
	folder := t.TempDir()
	if text, cut, err := TailOf(filepath.Join(folder, "none"), "lynx.pipeline.g1.1", 100); err != nil || cut || len(text) > 0 {
		t.Errorf("%q %v %v", text, cut, err)
	}
	l, err := openLog(filepath.Join(folder, "runs", "lynx.pipeline.g1.1", "log"), func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		l.say("line %d hunter2", i)
	}
	l.close()
	text, cut, err := TailOf(folder, "lynx.pipeline.g1.1", 100)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || !cut || len(text) > 100 || lines[0] != fmt.Sprintf("line %d ***", 100-len(lines)) || lines[len(lines)-1] != "line 99 ***" {
		t.Errorf("%q %v %v", text, cut, err)
	}
	if text, cut, err := TailOf(folder, "lynx.pipeline.g1.1", 1<<20); err != nil || cut || strings.Count(string(text), "\n") != 100 {
		t.Errorf("the whole log is %d lines, %v %v", strings.Count(string(text), "\n"), cut, err)
	}
}

// The name of an operation leads to no file elsewhere, and neither does a link in its folder.
func TestALogIsReadNowhereElse(t *testing.T) {
	folder := t.TempDir()
	for path, text := range map[string]string{"secret/log": "hunter2", "tofu/runs/x/other": "x"} {
		at := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(folder, "secret"), filepath.Join(folder, "tofu", "runs", "linked")); err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"../../secret", "../../../secret", "linked", "", ".", "/", "x/../../../secret"} {
		if text, _, _ := TailOf(filepath.Join(folder, "tofu"), operation, 100); len(text) > 0 {
			t.Errorf("operation %q shows %q", operation, text)
		}
	}
}
