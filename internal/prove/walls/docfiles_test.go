package walls

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var fileNamed = regexp.MustCompile(`[\w*/]+\.go\b`)

// strayNames lists the files that a doc.go of the house names and that stand neither in its
// folder nor in one directly below. A name with a star stands for the files that it matches.
func strayNames(root fs.FS) (stray []string, err error) {
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && notOurs(root, name) {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if path.Base(name) != "doc.go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		for _, file := range fileNamed.FindAllString(string(text), -1) {
			if !stands(root, path.Dir(name), file) {
				stray = append(stray, name+" names "+file)
			}
		}
		return err
	})
	return stray, err
}

func stands(root fs.FS, folder, file string) bool {
	for _, pattern := range []string{path.Join(folder, file), path.Join(folder, "*", file)} {
		if found, _ := fs.Glob(root, pattern); len(found) > 0 {
			return true
		}
	}
	return false
}

func TestDocsNameFilesThatStand(t *testing.T) {
	stray, err := strayNames(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stray {
		t.Errorf("%s, which is not there: say where its subject stands now", s)
	}
}

func TestAStrayNameIsFound(t *testing.T) {
	stray, err := strayNames(fstest.MapFS{
		"internal/a/doc.go":   {Data: []byte("// Package a: here.go, b/below.go, below.go, ask_*.go and gone.go, none_*.go.\npackage a\n")},
		"internal/a/here.go":  {},
		"internal/a/ask_1.go": {}, "internal/a/b/below.go": {},
	})
	if want := "internal/a/doc.go names gone.go internal/a/doc.go names none_*.go"; err != nil || strings.Join(stray, " ") != want {
		t.Errorf("found %q, %v; want %q", stray, err, want)
	}
}

// The rooms with the most files list all of them in their doc.go, so that a newcomer finds a subject there.
func TestTheLargestRoomsListTheirFiles(t *testing.T) {
	for _, room := range []string{"internal/faces/api", "internal/server"} {
		unlisted, err := unlistedFiles(os.DirFS("../../.."), room)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range unlisted {
			t.Errorf("%s/doc.go does not name %s: add it to the files of its subject", room, file)
		}
	}
}

// unlistedFiles are the files of a room that its doc.go does not name; tests need no line there.
func unlistedFiles(root fs.FS, room string) (list []string, err error) {
	text, err := fs.ReadFile(root, path.Join(room, "doc.go"))
	if err != nil {
		return nil, err
	}
	patterns := fileNamed.FindAllString(string(text), -1)
	files, err := fs.Glob(root, path.Join(room, "*.go"))
	for _, file := range files {
		name := path.Base(file)
		named := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
		if name != "doc.go" && !strings.HasSuffix(name, "_test.go") && !slices.ContainsFunc(patterns, named) {
			list = append(list, name)
		}
	}
	return list, err
}
