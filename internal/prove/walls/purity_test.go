package walls

import (
	"go/ast"
	"go/token"
	"strings"
)

// harmless is the part of the standard library that pure rooms may use: no
// clock, randomness, I/O, lock, log, or look at the process. What is not named
// here is refused, so that a new package is a choice and not an accident.
var harmless = words(`
	bytes cmp container/heap container/list crypto/sha256 encoding encoding/base64 encoding/binary
	encoding/hex encoding/json errors fmt hash hash/crc32 hash/fnv html io iter maps math math/bits path
	net/url reflect regexp slices sort strconv strings time unicode unicode/utf8`)

// impure names what is refused inside packages that are otherwise harmless, and
// what to do instead.
var impure = map[string]struct {
	names  map[string]bool
	remedy string
}{
	"time": {
		names:  words("Now Since Until After AfterFunc Sleep Tick NewTimer NewTicker Timer Ticker Local LoadLocation"),
		remedy: "take the moment as the argument now, in UTC",
	},
	"fmt": {
		names:  words("Print Printf Println Scan Scanf Scanln"),
		remedy: "return the value; the edge renders it",
	},
	"": { // builtins
		names:  words("print println"),
		remedy: "return the value; the edge renders it",
	},
}

const (
	beHarmless = "pure rooms take what they need as arguments and return effects as values; if the package has no effects, add it to harmless in internal/prove/walls/purity_test.go"
	beStill    = "pure rooms run on the caller's goroutine and share nothing; move it to the engine"
)

// impurities reports what the pure rooms know and should not. Their tests are
// free: they may read files, draw seeds and look at the clock.
func impurities(rooms []room, sources []source) []breach {
	var found []breach
	for _, s := range sources {
		if r, ok := roomOf(rooms, s.folder); ok && r.kind == pure && !s.test {
			found = append(found, impureImports(s)...)
			found = append(found, impureCode(s)...)
		}
	}
	return found
}

func impureImports(s source) []breach {
	var found []breach
	for _, imp := range s.imports() {
		switch {
		case imp.name == ".":
			found = append(found, s.breach(imp.at, "import it by name, so that each use can be seen", "dot import of %s in a pure room", imp.path))
		case standard(imp.path) && !harmless[imp.path]:
			found = append(found, s.breach(imp.at, beHarmless, "%s in a pure room", imp.path))
		}
	}
	return found
}

func impureCode(s source) []breach {
	var found []breach
	paths := map[string]string{}
	for _, imp := range s.imports() {
		paths[imp.name] = imp.path
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if b, bad := impureNode(s, paths, n); bad {
			found = append(found, b)
		}
		return true
	})
	return found
}

func impureNode(s source, paths map[string]string, n ast.Node) (breach, bool) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if pkg, ok := n.X.(*ast.Ident); ok && paths[pkg.Name] != "" {
			return impureName(s, paths[pkg.Name], n.Sel)
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok {
			return impureName(s, "", name)
		}
	}
	if what := concurrent(n); what != "" {
		return s.breach(n.Pos(), beStill, "%s in a pure room", what), true
	}
	return breach{}, false
}

// impureName judges a name of a package, "" for the builtins. It knows no
// scopes: a local variable called time with a method Now is refused as well,
// and better called something else.
func impureName(s source, importPath string, name *ast.Ident) (breach, bool) {
	rule := impure[importPath]
	if !rule.names[name.Name] {
		return breach{}, false
	}
	full := strings.TrimPrefix(importPath+"."+name.Name, ".")
	return s.breach(name.Pos(), rule.remedy, "%s in a pure room", full), true
}

// concurrent names what a node has to do with goroutines, "" for nothing.
func concurrent(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.SelectStmt:
		return "a select"
	case *ast.ChanType:
		return "a channel"
	case *ast.SendStmt:
		return "a send on a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "a receive from a channel"
		}
	}
	return ""
}

// words is the set of the words of a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
