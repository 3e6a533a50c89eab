// Command narrow leaves of Azure Service Operator's list of kinds those of the groups that are
// named, and takes its other kinds out: narrow FILE GROUP... writes the narrower file to standard output.
// What reconciles, converts and talks to Azure is not touched.
package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "narrow:", err)
		os.Exit(1)
	}
}

func run(file string, groups []string) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	n := narrower{groups: groups, imports: map[string]bool{}}
	for _, i := range f.Imports {
		if i.Name != nil {
			n.imports[i.Name.Name] = true
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		fn, is := d.(*ast.FuncDecl)
		return is && strings.HasPrefix(fn.Name.Name, "index") && n.foreign(fn)
	})
	for _, d := range f.Decls {
		if fn, is := d.(*ast.FuncDecl); is && !strings.HasPrefix(fn.Name.Name, "index") {
			n.narrow(fn)
		}
	}
	dropImports(f)
	return format.Node(os.Stdout, files, f)
}

// narrower knows which packages are of other groups.
type narrower struct {
	groups  []string
	imports map[string]bool // by name: all that have one
}

// foreign says whether code names a kind of another group.
func (n narrower) foreign(code ast.Node) (is bool) {
	ast.Inspect(code, func(x ast.Node) bool {
		if s, selects := x.(*ast.SelectorExpr); selects {
			if p, named := s.X.(*ast.Ident); named && n.imports[p.Name] && !n.keeps(p.Name) {
				is = true
			}
		}
		return !is
	})
	return is
}

func (n narrower) keeps(name string) bool {
	group, _, versioned := strings.Cut(name, "_")
	return !versioned || slices.Contains(n.groups, group)
}

// narrow takes foreign kinds out of the list that a function makes.
func (n narrower) narrow(fn *ast.FuncDecl) {
	for _, s := range fn.Body.List {
		if call := appends(s); call != nil {
			call.Args = append(call.Args[:1], slices.DeleteFunc(call.Args[1:], func(x ast.Expr) bool { return n.foreign(x) })...)
		}
	}
	fn.Body.List = slices.DeleteFunc(fn.Body.List, func(s ast.Stmt) bool {
		call := appends(s)
		return call != nil && len(call.Args) == 1 || n.foreign(s)
	})
}

// appends is the call of a statement x = append(x, ...); nil: it is none.
func appends(s ast.Stmt) *ast.CallExpr {
	a, is := s.(*ast.AssignStmt)
	if !is || len(a.Rhs) != 1 {
		return nil
	}
	call, is := a.Rhs[0].(*ast.CallExpr)
	if !is {
		return nil
	}
	if f, is := call.Fun.(*ast.Ident); !is || f.Name != "append" {
		return nil
	}
	return call
}

// dropImports takes out what is not used any more.
func dropImports(f *ast.File) {
	used := map[string]bool{}
	ast.Inspect(f, func(x ast.Node) bool {
		if s, selects := x.(*ast.SelectorExpr); selects {
			if p, named := s.X.(*ast.Ident); named {
				used[p.Name] = true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { i := s.(*ast.ImportSpec); return i.Name != nil && !used[i.Name.Name] })
		}
	}
}
