package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// site is a place at which a mistake can be made.
type site struct {
	key        string // tells it from all others, and stays when other code changes
	File       string
	Func       string // the function that it stands in
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

// sitesAt lists the sites of a commit, in the same order.
func sitesAt(ctx context.Context, commit, folder string) ([]site, error) {
	names, err := exec.CommandContext(ctx, "git", "ls-tree", "-r", "--name-only", commit, folder).Output()
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", commit, err)
	}
	var all []site
	for _, path := range walked(strings.Fields(string(names))) {
		src, err := exec.CommandContext(ctx, "git", "show", commit+":"+path).Output()
		if err != nil {
			return nil, err
		}
		found, err := sitesOf(path, string(src))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// walked are the files that sitesIn reads, in the order in which it reads them: git sorts folder/ as a
// name with its slash, a walk without it.
func walked(names []string) (list []string) {
	for _, name := range names {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	return list
}

// placed finds sites of other code in this one: the same mistake at the same words, for the as manieth
// time, in the function of the same name. It drops those that stand no more, and keeps their numbers.
func placed(list, here []site) (found []site, gone map[int]bool) {
	gone = map[int]bool{}
	for i, s := range list {
		at := slices.IndexFunc(here, func(h site) bool { return h.key == s.key })
		if at < 0 || slices.ContainsFunc(found, here[at].overlaps) {
			gone[i] = true
			found = append(found, site{})
			continue
		}
		found = append(found, here[at])
	}
	return found, gone
}

func (s site) overlaps(t site) bool { return s.File == t.File && s.start < t.end && t.start < s.end }

// finder walks one file.
type finder struct {
	path, src string
	fn        string // the function that is walked
	set       *token.FileSet
	sites     []site
	met       map[string]int // how often the same mistake at the same words was met
}

func sitesOf(path, src string) ([]site, error) {
	f := &finder{path: path, src: src, set: token.NewFileSet(), met: map[string]int{}}
	file, err := parser.ParseFile(f.set, path, src, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.fn = fn.Name.Name
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
	was := strings.Join(strings.Fields(f.text(n)), " ")
	name := strings.Join([]string{f.path, f.fn, kind, was}, "\x00")
	f.met[name]++
	f.sites = append(f.sites, site{
		key: fmt.Sprint(name, "\x00", f.met[name]), File: f.path, Func: f.fn, Line: f.set.Position(n.Pos()).Line, Kind: kind, Was: was,
		start: f.offset(n.Pos()), end: f.offset(n.End()), lines: strings.Count(f.text(n), "\n"), text: text,
	})
}
