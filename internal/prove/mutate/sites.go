package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// site is a place at which a mistake can be made.
type site struct {
	File       string
	Line       int
	Kind       string // what the mistake is
	Was        string // the right code
	start, end int    // offsets in the file
	lines      int    // how many more it has
	text       func(id string) string
}

func (s site) String() string {
	return fmt.Sprintf("%s:%d: %s: %.100s", s.File, s.Line, s.Kind, s.Was)
}

// sitesIn lists the sites of all Go files under a folder that are no tests.
func sitesIn(folder string) ([]site, error) {
	var all []site
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := sitesOf(path, string(src))
		all = append(all, found...)
		return err
	})
	return all, err
}

// finder walks one file.
type finder struct {
	path, src string
	set       *token.FileSet
	sites     []site
}

func sitesOf(path, src string) ([]site, error) {
	f := &finder{path: path, src: src, set: token.NewFileSet()}
	file, err := parser.ParseFile(f.set, path, src, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			ast.Inspect(fn.Body, f.visit)
		}
	}
	return f.sites, nil
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.IfStmt:
		cond := f.text(n.Cond)
		f.add(n.Cond, "negated condition", func(id string) string { return "mutant.Is(" + id + ") != (" + cond + ")" })
	case *ast.BasicLit:
		if n.Kind == token.INT {
			f.add(n, "constant + 1", func(id string) string { return "mutant.Pick(" + id + ", " + n.Value + ", " + n.Value + "+1)" })
		}
	case *ast.ExprStmt:
		f.removed(n)
	case *ast.IncDecStmt:
		f.removed(n)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			f.removed(n)
		}
	case *ast.CallExpr:
		f.comparison(n)
	}
	return true
}

// other is what an operator is mistaken for.
var other = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

func (f *finder) binary(n *ast.BinaryExpr) {
	op, ok := other[n.Op]
	if !ok {
		return
	}
	right, wrong := f.text(n), "("+f.text(n.X)+") "+op.String()+" ("+f.text(n.Y)+")"
	f.add(n, n.Op.String()+" became "+op.String(), func(id string) string {
		if n.Op == token.ADD || n.Op == token.SUB {
			return "mutant.Pick(" + id + ", " + right + ", " + wrong + ")"
		}
		return "(mutant.Is(" + id + ") && (" + wrong + ") || !mutant.Is(" + id + ") && (" + right + "))"
	})
}

func (f *finder) removed(n ast.Stmt) {
	right := f.text(n)
	f.add(n, "statement removed", func(id string) string { return "if !mutant.Is(" + id + ") { " + right + " }" })
}

// comparison swaps what cmp.Compare and strings.Compare compare.
func (f *finder) comparison(n *ast.CallExpr) {
	fn, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || fn.Sel.Name != "Compare" || len(n.Args) != 2 {
		return
	}
	right, wrong := f.text(n), f.text(n.Fun)+"("+f.text(n.Args[1])+", "+f.text(n.Args[0])+")"
	f.add(n, "arguments swapped", func(id string) string { return "mutant.Pick(" + id + ", " + right + ", " + wrong + ")" })
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *finder) text(n ast.Node) string { return f.src[f.offset(n.Pos()):f.offset(n.End())] }

func (f *finder) add(n ast.Node, kind string, text func(id string) string) {
	f.sites = append(f.sites, site{
		File: f.path, Line: f.set.Position(n.Pos()).Line, Kind: kind, Was: strings.Join(strings.Fields(f.text(n)), " "),
		start: f.offset(n.Pos()), end: f.offset(n.End()), lines: strings.Count(f.text(n), "\n"), text: text,
	})
}
