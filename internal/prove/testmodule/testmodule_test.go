package testmodule

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAModuleIsFoundFromAnyFolderBelow(t *testing.T) {
	clone := t.TempDir()
	want := filepath.Join(clone, "test", "controllers", "ray")
	deep := filepath.Join(clone, "internal", "run", "engine")
	for _, dir := range []string{want, deep} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(want, "go.sum"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{clone, deep, want} {
		t.Chdir(at)
		if dir, err := Dir("controllers/ray"); err != nil || dir != want {
			t.Errorf("from %s: %s, %v", at, dir, err)
		}
	}
	if dir, err := Dir("controllers/lws"); err == nil {
		t.Errorf("a module that is not there is %s", dir)
	}
}
