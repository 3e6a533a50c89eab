package journaltest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The documents that list what the log may be kept in list every backend: a folder beside
// this one whose tests run the conformance suite.
func TestEveryBackendIsNamed(t *testing.T) {
	suites, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	backends := map[string]bool{}
	for _, file := range suites {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), "journaltest"+".Run(") {
			backends[filepath.Base(filepath.Dir(file))] = true
		}
	}
	if len(backends) < 3 {
		t.Fatalf("only %v run the conformance suite", backends)
	}
	for _, document := range []string{
		"../doc.go", "../../doc.go", "../../../../docs/architecture.md", "../../../../docs/scope.md", "../../../../docs/operate.md",
		"../../../server/command_journal.go", "../../../server/options.go", "../../../server/command_up.go",
	} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for backend := range backends {
			if backend != "memory" && !strings.Contains(strings.ToLower(string(text)), backend) {
				t.Errorf("%s lists what keeps the log, and leaves %s out", document, backend)
			}
		}
	}
}
