package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
)

// Every type that is a command has one row in the table, and only one: so a command
// that no function decides, or whose giver no row names, does not pass.
func TestEveryCommandHasOneRow(t *testing.T) {
	has := map[string]int{}
	for _, r := range rows() {
		has[reflect.TypeOf(r.command).Name()]++
	}
	types := commandTypes(t)
	if len(types) < 40 {
		t.Fatalf("found only %d command types: %v", len(types), types)
	}
	for _, name := range types {
		if has[name] != 1 {
			t.Errorf("command %s has %d rows in the table of commands (table.go); it needs one", name, has[name])
		}
	}
	if len(types) != len(table) {
		t.Errorf("%d types are commands, %d are in the table", len(types), len(table))
	}
}

// commandTypes are the names of the types that have a method command().
func commandTypes(t *testing.T) []string {
	t.Helper()
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0) //nolint:staticcheck // one folder, no build tags
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for path, file := range packages["core"].Files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "command" || strings.HasSuffix(path, "_test.go") {
				continue
			}
			names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	return names
}
