package server

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What a server keeps is its user's alone, also what was there before.
func TestADataFolderIsItsUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, of := range []string{dir, filepath.Join(dir, "snapshots")} {
		if err := os.MkdirAll(of, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"fleet.db", "lock", "snapshots/1"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := upOptions{Data: dir, Listen: "127.0.0.1:0", LogLevel: "warn", Out: t.Output(), Err: t.Output()}
	s := &server{upOptions: o}
	if err := s.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.openData(t.Context()); err == nil {
		t.Log("an empty journal is opened")
	}
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		seen++
		return nil
	})
	if seen < 5 {
		t.Errorf("only %d files are there", seen)
	}
}
