package walls

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// module is the path that the house's own imports begin with.
const module = "github.com/muster-fleet/muster/"

// A source is one parsed Go file of the house.
type source struct {
	fset   *token.FileSet
	file   *ast.File
	folder string // relative to the root of the module, with slashes
	test   bool
}

// A breach is one broken wall, at a place, with what to do about it.
type breach struct {
	place  string
	says   string
	remedy string
}

func (b breach) String() string { return fmt.Sprintf("%s: %s; %s", b.place, b.says, b.remedy) }

// breach reports something at a place of the source.
func (s source) breach(at token.Pos, remedy, format string, args ...any) breach {
	return breach{place: s.fset.Position(at).String(), says: fmt.Sprintf(format, args...), remedy: remedy}
}

// imported is one import of a source: the name the file knows it by, and its path.
type imported struct {
	name string
	path string
	at   token.Pos
}

// imports lists what the source imports, in its order.
func (s source) imports() []imported {
	var found []imported
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has already refused such a file
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		found = append(found, imported{name: name, path: p, at: spec.Pos()})
	}
	return found
}

// survey parses every Go file of a module, whatever its build tags say.
func survey(root fs.FS) ([]source, error) {
	var sources []source
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && notOurs(root, name):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		s, err := parse(root, name)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

// notOurs says whether the go command, too, would leave a folder out of the module.
func notOurs(root fs.FS, folder string) bool {
	if folder == "." {
		return false
	}
	base := path.Base(folder)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(root, path.Join(folder, "go.mod"))
	return err == nil
}

func parse(root fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return source{}, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	return source{fset: fset, file: file, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}, err
}

// folders lists the folders that hold Go files, sorted, each once.
func folders(sources []source) []string {
	seen := map[string]bool{}
	var list []string
	for _, s := range sources {
		if !seen[s.folder] {
			seen[s.folder] = true
			list = append(list, s.folder)
		}
	}
	sort.Strings(list)
	return list
}
