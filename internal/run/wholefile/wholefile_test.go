package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestAFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, want := range []string{"old", "new and longer", ""} {
		if err := WriteBytes(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; only the owner may read it", info.Mode(), err)
	}
}

func TestAFailureLeavesWhatStood(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	err := Write(path, func(f io.Writer) error {
		_, _ = f.Write([]byte("half"))
		return full
	})
	if !errors.Is(err, full) {
		t.Fatalf("got %v, want %v", err, full)
	}
	holds(t, path, "old")
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Fatalf("%d files are left, want 1", len(files))
	}
}

func TestSweepLeavesWhatIsBeingWritten(t *testing.T) {
	dir := t.TempDir()
	old, young, other := filepath.Join(dir, ".writing-1"), filepath.Join(dir, ".writing-2"), filepath.Join(dir, "writing")
	for _, path := range []string{old, young, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * abandoned)
	for _, path := range []string{old, other} {
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(dir)
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if !slices.Equal(left, []string{young, other}) {
		t.Fatalf("left: %v, want %v and %v", left, young, other)
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}
