package walls

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made is what `make generate` wrote last: the sums of all it read and of all it
// made, in the form of sha256sum.
const made = "gen.sha256"

// TestGeneratedCodeIsWhatTheProtosSay compares proto/ and gen/ with the sums of
// the last generation. Generating again would take a minute; this takes none,
// and fails where a proto changed without a new generation, or gen/ was edited by hand.
func TestGeneratedCodeIsWhatTheProtosSay(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	data, err := os.ReadFile(filepath.Join(root, made))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	is := sums(t, root, "proto", "gen", "buf.gen.yaml", "tools/gen/go.mod")
	for name, sum := range is {
		if want[name] != sum {
			t.Errorf("%s is not what `make generate` last read or made; run it, and commit gen/ and %s with it", name, made)
		}
	}
	for name := range want {
		if is[name] == "" {
			t.Errorf("%s is gone since the last `make generate`; run it again", name)
		}
	}
	if len(is) < 10 {
		t.Errorf("only %d files were compared", len(is))
	}
}

// sums are those of all files below some paths, by their names from the root.
func sums(t *testing.T, root string, paths ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(root, path), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			sum := sha256.Sum256(data)
			rel, _ := filepath.Rel(root, name)
			all[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
