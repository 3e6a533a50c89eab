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

// A room with more files than this is searched by its doc.go, and not by a look at the folder.
const manyFiles = 25

// listedWhole are smaller rooms in which a rule is looked up by its file.
var listedWhole = []string{"internal/answer/explain", "internal/prove/judge", "internal/prove/oracle"}

// The rooms with many files list all of them in their doc.go, by name or by prefix, so that a newcomer finds a subject there.
func TestTheLargestRoomsListTheirFiles(t *testing.T) {
	root := os.DirFS("../../..")
	rooms := slices.Concat(largeRooms(t, root), listedWhole)
	if len(rooms) < 10 {
		t.Errorf("only %s were found", rooms)
	}
	for _, room := range rooms {
		for _, file := range unlistedFiles(t, root, room) {
			t.Errorf("%s/doc.go does not name %s: add it to the files of its subject", room, file)
		}
	}
}

// largeRooms are the rooms with many files.
func largeRooms(t *testing.T, root fs.FS) (rooms []string) {
	for _, room := range folders(house(t)) {
		if strings.HasPrefix(room, "internal/") && len(filesOf(t, root, room)) > manyFiles {
			rooms = append(rooms, room)
		}
	}
	return rooms
}

// filesOf are the files of a room without its doc.go and its tests.
func filesOf(t *testing.T, root fs.FS, room string) (names []string) {
	files, err := fs.Glob(root, path.Join(room, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := path.Base(file); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	return names
}

// unlistedFiles are the files of a room that its doc.go names neither whole nor by a prefix.
func unlistedFiles(t *testing.T, root fs.FS, room string) (list []string) {
	text, err := fs.ReadFile(root, path.Join(room, "doc.go"))
	if err != nil {
		t.Error(err)
	}
	patterns := fileNamed.FindAllString(string(text), -1)
	for _, name := range filesOf(t, root, room) {
		if !slices.ContainsFunc(patterns, func(p string) bool { return namesFile(p, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// namesFile says whether a pattern is the name of a file or a prefix of it: a star alone names nothing.
func namesFile(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok && !strings.HasPrefix(pattern, "*")
}

func TestAFileWithoutALineIsFound(t *testing.T) {
	root := fstest.MapFS{
		"internal/a/doc.go":      {Data: []byte("// Package a: here.go, ask_*.go and *.go.\npackage a\n")},
		"internal/a/here.go":     {},
		"internal/a/ask_1.go":    {},
		"internal/a/new.go":      {},
		"internal/a/new_test.go": {},
	}
	if got := strings.Join(unlistedFiles(t, root, "internal/a"), " "); got != "new.go" {
		t.Errorf("found %q; want new.go", got)
	}
}
