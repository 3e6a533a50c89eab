package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// floors of internal/, from the ground up; a room may import those below its own.
var floors = []string{"state", "decide", "run", "answer", "clusters", "prove", "faces", "server"}

const (
	manyFields = 12  // a type with more is several types
	longFile   = 400 // lines; a file with more has several subjects
	shortFile  = 30  // lines; a file with fewer has no subject of its own
)

// A finding is one place with a count: exported names of a room, fields of a type, lines of a file.
type finding struct {
	place string
	count int
}

// top lists what stands directly under internal/.
func top(rooms []room) []string {
	var names []string
	for _, r := range rooms {
		if rest, ok := strings.CutPrefix(r.folder, "internal/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// againstFloors lists imports that lead from a floor to one above it.
func againstFloors(rooms []room) []string {
	var found []string
	for _, r := range rooms {
		for _, f := range r.files {
			for _, spec := range f.syntax.Imports {
				to, _ := strconv.Unquote(spec.Path.Value)
				if own := floorOf(r.folder); own >= 0 && floorOf(strings.TrimPrefix(to, module)) > own {
					found = append(found, r.folder+"/"+f.name+" imports "+strings.TrimPrefix(to, module))
				}
			}
		}
	}
	return found
}

// floorOf is the number of a folder's floor; -1 outside of all.
func floorOf(folder string) int {
	name, _ := strings.CutPrefix(folder, "internal/")
	name, _, _ = strings.Cut(name, "/")
	return slices.Index(floors, name)
}

// exported counts the exported names of each room: functions, methods, types, variables, constants.
func exported(rooms []room) []finding {
	var found []finding
	for _, r := range rooms {
		n := 0
		for _, f := range r.files {
			for _, d := range f.syntax.Decls {
				n += exportedIn(d)
			}
		}
		found = append(found, finding{r.folder, n})
	}
	return worst(found)
}

func exportedIn(d ast.Decl) int {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			return 1
		}
	case *ast.GenDecl:
		n := 0
		for _, s := range d.Specs {
			for _, name := range namesOf(s) {
				if name.IsExported() {
					n++
				}
			}
		}
		return n
	}
	return 0
}

// namesOf are the names that one line of a type, var or const declaration makes.
func namesOf(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// receiver is the name of a method's type, "" of a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// wide lists the struct types with more than manyFields fields.
func wide(rooms []room) []finding {
	var found []finding
	for _, r := range rooms {
		for _, f := range r.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				t, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if s, ok := t.Type.(*ast.StructType); ok && s.Fields.NumFields() > manyFields {
					found = append(found, finding{r.folder + "." + t.Name.Name, s.Fields.NumFields()})
				}
				return true
			})
		}
	}
	return worst(found)
}

// sized lists the files that a size concerns.
func sized(rooms []room, concerns func(lines int) bool) []finding {
	var found []finding
	for _, r := range rooms {
		for _, f := range r.files {
			if concerns(f.lines) {
				found = append(found, finding{r.folder + "/" + f.name, f.lines})
			}
		}
	}
	return worst(found)
}

// functions are the lengths of all functions, in lines, shortest first.
func functions(rooms []room) []int {
	var lengths []int
	for _, r := range rooms {
		for _, f := range r.files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					lengths = append(lengths, f.set.Position(fn.End()).Line-f.set.Position(fn.Pos()).Line+1)
				}
			}
		}
	}
	slices.Sort(lengths)
	return lengths
}

// worst puts the largest first, ties by place.
func worst(found []finding) []finding {
	slices.SortFunc(found, func(a, b finding) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return strings.Compare(a.place, b.place)
	})
	return found
}

func (f finding) String() string { return fmt.Sprintf("%6d  %s", f.count, f.place) }
