package notify

import (
	"os"
	"path/filepath"
	"testing"
)

// A key that was replaced, or is gone and made anew, is said; the same key is not, nor is a first one.
func TestAChangedKeyIsSaid(t *testing.T) {
	dir := t.TempDir()
	changed := func() bool {
		n, err := New(Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return n.KeyChanged()
	}
	path := filepath.Join(dir, KeyFile)
	if first, second := changed(), changed(); first || second {
		t.Error("a first key, or the same again, counts as changed")
	}
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil || !changed() || changed() {
		t.Errorf("a key that was made anew is not said once (%v)", err)
	}
	if err := os.WriteFile(path, was, 0o600); err != nil || !changed() {
		t.Errorf("a key that was put back is not said (%v)", err)
	}
}
