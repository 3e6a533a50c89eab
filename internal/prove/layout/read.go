package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// module is the path that the project's own imports begin with.
const module = "github.com/muster-fleet/muster/"

// A room is one package of the house.
type room struct {
	folder string // from the root, with slashes
	files  []file // by name
}

// A file is one parsed Go file that people wrote and the product is built from.
type file struct {
	name   string // without its folder
	lines  int
	syntax *ast.File
	set    *token.FileSet
}

// read parses all rooms below root, by folder.
func read(root fs.FS) ([]room, error) {
	rooms := map[string]*room{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(root, name):
			return fs.SkipDir
		case entry.IsDir() || !counted(name):
			return nil
		}
		f, err := parse(root, name)
		if err != nil || ast.IsGenerated(f.syntax) {
			return err
		}
		folder := path.Dir(name)
		if rooms[folder] == nil {
			rooms[folder] = &room{folder: folder}
		}
		rooms[folder].files = append(rooms[folder].files, f)
		return nil
	})
	return sorted(rooms), err
}

// skipped says whether a folder is no part of the module.
func skipped(root fs.FS, folder string) bool {
	base := path.Base(folder)
	if folder == "." {
		return false
	}
	if base == "testdata" || base == "gen" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(root, path.Join(folder, "go.mod"))
	return err == nil
}

// counted says whether a file's lines are code of the product.
func counted(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && path.Base(name) != "doc.go"
}

func parse(root fs.FS, name string) (file, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return file{}, err
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return file{name: path.Base(name), lines: bytes.Count(text, []byte("\n")), syntax: syntax, set: set}, err
}

func sorted(rooms map[string]*room) []room {
	var list []room
	for _, r := range rooms {
		list = append(list, *r)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].folder < list[j].folder })
	return list
}

// lines are those of all files of the room.
func (r room) lines() int {
	n := 0
	for _, f := range r.files {
		n += f.lines
	}
	return n
}
