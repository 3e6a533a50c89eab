package main

import (
	"go/ast"
	"go/types"
	"slices"
)

// An arrow leads from a file to another whose definitions it names, both by their places in the room.
type arrow struct{ from, to int }

// arrows finds who names whom inside a room. A method is known by its name alone,
// so a name that two files define draws no arrow: a few are missed, none is made up.
func arrows(r room) []arrow {
	var list []arrow
	for a := range named(r) {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b arrow) int { return (a.from-b.from)*len(r.files) + a.to - b.to })
	return list
}

// named is the arrows of a room with the names that draw each.
func named(r room) map[arrow][]string {
	home := definitions(r)
	by := map[arrow][]string{}
	for i, f := range r.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				to, known := home[id.Name]
				if a := (arrow{i, to}); known && to != i && to >= 0 && !slices.Contains(by[a], id.Name) {
					by[a] = append(by[a], id.Name)
				}
			}
			return true
		})
	}
	return by
}

// definitions says in which file each name of the room is defined; -1: in several.
func definitions(r room) map[string]int {
	home := map[string]int{}
	define := func(name string, file int) {
		if was, known := home[name]; known && was != file {
			file = -1
		}
		home[name] = file
	}
	for i, f := range r.files {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				define(d.Name.Name, i)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					for _, name := range namesOf(s) {
						define(name.Name, i)
					}
				}
			}
		}
		shadow(f, define)
	}
	delete(home, "_")
	for _, name := range types.Universe.Names() {
		delete(home, name) // clear(m) is the language's, whatever method is called so
	}
	return home
}

// shadow takes fields, parameters and local variables out of what can be told
// apart by name: another file's `n` is not this one's.
func shadow(f file, define func(string, int)) {
	take := func(names []*ast.Ident) {
		for _, n := range names {
			define(n.Name, -1)
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, method := n.Type.(*ast.FuncType); !method {
				take(n.Names)
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && n.Tok.String() == ":=" {
					take([]*ast.Ident{id})
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					take([]*ast.Ident{id})
				}
			}
		}
		return true
	})
}

// upward counts the arrows that run against the best order of files that was found (Eades,
// Lin and Smyth 1993). Three steps repeat. A file that names no file left goes to the
// ground. A file that no file left names goes to the top. Of a circle, the file with most
// arrows coming in over going out goes to the ground.
func upward(files int, list []arrow) int { return len(against(files, list)) }

// against are the arrows that run against that order.
func against(files int, list []arrow) (up []arrow) {
	place := layers(files, list)
	for _, a := range list {
		if place[a.from] < place[a.to] {
			up = append(up, a)
		}
	}
	return up
}

// layers gives each file its height, 0 on the ground.
func layers(files int, list []arrow) []int {
	place := make([]int, files)
	left := map[int]bool{}
	for i := range files {
		left[i] = true
	}
	ground, roof := 0, files-1
	for len(left) > 0 {
		next, down := choose(files, left, list)
		delete(left, next)
		if down {
			place[next], ground = ground, ground+1
		} else {
			place[next], roof = roof, roof-1
		}
	}
	return place
}

// choose picks which file is placed next, and whether it goes down or up.
func choose(files int, left map[int]bool, list []arrow) (file int, down bool) {
	out, in := make([]int, files), make([]int, files)
	for _, a := range list {
		if left[a.from] && left[a.to] {
			out[a.from]++
			in[a.to]++
		}
	}
	best := -1
	for i := range files {
		switch {
		case !left[i]:
		case out[i] == 0:
			return i, true
		case in[i] == 0:
			return i, false
		case best < 0 || in[i]-out[i] > in[best]-out[best]:
			best = i
		}
	}
	return best, true
}

// circles are groups of files that name each other around; their sizes, largest first.
func circles(files int, list []arrow) []int {
	reach := make([][]bool, files)
	for i := range reach {
		reach[i] = make([]bool, files)
	}
	for _, a := range list {
		reach[a.from][a.to] = true
	}
	for k := range files {
		for i := range files {
			for j := range files {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	var sizes []int
	done := make([]bool, files)
	for i := range files {
		n := 0
		for j := range files {
			if !done[j] && (i == j || reach[i][j] && reach[j][i]) {
				done[j] = true
				n++
			}
		}
		if n > 1 {
			sizes = append(sizes, n)
		}
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	return sizes
}
