package server

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestABuildIsReproducible builds the release twice, from two copies of the sources in
// two folders, and compares the bytes: make reproducible runs it.
func TestABuildIsReproducible(t *testing.T) {
	if os.Getenv("MUSTER_REPRODUCIBLE") == "" {
		t.Skip("it builds everything twice; make reproducible runs it")
	}
	var dirs [2]string
	for i := range dirs { // both before the first is built: a person may edit meanwhile
		dirs[i] = filepath.Join(t.TempDir(), "a folder of another name"[:3+8*i])
		if err := os.MkdirAll(dirs[i], 0o750); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"go.mod", "go.sum", "cmd", "internal", "client", "gen"} {
			if out, err := exec.Command("cp", "-r", filepath.Join("..", "..", part), dirs[i]).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	var builds [2][]byte
	for i, dir := range dirs {
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", "muster", "./cmd/muster")
		build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var err error
		if builds[i], err = os.ReadFile(filepath.Join(dir, "muster")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%.1f MB", float64(len(builds[0]))/1e6)
	if !bytes.Equal(builds[0], builds[1]) {
		t.Errorf("two builds of the same sources differ: %d and %d bytes", len(builds[0]), len(builds[1]))
	}
}
