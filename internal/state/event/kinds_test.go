package event

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnEventStandsInOneFileWithItsKind: who reads or moves the one sees the other.
func TestAnEventStandsInOneFileWithItsKind(t *testing.T) {
	structs, kinds := map[string]string{}, map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			noteEvents(t, name, structs, kinds)
		}
	}
	if len(kinds) < len(readers) {
		t.Fatalf("%d kinds are found, and the registry has %d", len(kinds), len(readers))
	}
	for event, file := range kinds {
		if structs[event] != file {
			t.Errorf("%s: the struct stands in %s, and its Kind in %s", event, structs[event], file)
		}
	}
}

// noteEvents notes the file of each type, and of each Kind, that a file declares.
func noteEvents(t *testing.T, name string, structs, kinds map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					structs[s.Name.Name] = name
				}
			}
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "Kind" {
				kinds[receiver(d)] = name
			}
		}
	}
}

// receiver is the type that a method is of.
func receiver(d *ast.FuncDecl) string {
	of, ok := d.Recv.List[0].Type.(*ast.Ident)
	if !ok {
		return ""
	}
	return of.Name
}
