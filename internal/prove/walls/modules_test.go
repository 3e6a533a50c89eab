package walls

import (
	"os"
	"strings"
	"testing"
)

// required is one module of go.mod.
type required struct {
	path     string
	indirect bool
}

// requirements reads the modules that a go.mod asks for.
func requirements(text string) []required {
	var list []required
	inside := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "require" && len(fields) > 1 && fields[1] == "(":
			inside = true
		case fields[0] == ")":
			inside = false
		case inside:
			list = append(list, required{fields[0], strings.HasSuffix(strings.TrimSpace(line), "// indirect")})
		}
	}
	return list
}

// wrongMarks lists modules whose mark in go.mod is not what the imports say, as
// `go mod tidy` would find without asking any network.
func wrongMarks(modules []required, imports []string) []breach {
	direct := map[string]bool{}
	for _, imported := range imports {
		longest := ""
		for _, m := range modules {
			if (imported == m.path || strings.HasPrefix(imported, m.path+"/")) && len(m.path) > len(longest) {
				longest = m.path
			}
		}
		direct[longest] = true
	}
	var found []breach
	for _, m := range modules {
		switch {
		case direct[m.path] && m.indirect:
			found = append(found, breach{"go.mod", m.path + " is imported and marked // indirect", "run go mod tidy"})
		case !direct[m.path] && !m.indirect:
			found = append(found, breach{"go.mod", m.path + " is not imported and not marked // indirect", "run go mod tidy"})
		}
	}
	return found
}

func TestModulesAreMarkedAsTheyAreUsed(t *testing.T) {
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, s := range house(t) {
		for _, imp := range s.imports() {
			imports = append(imports, imp.path)
		}
	}
	report(t, wrongMarks(requirements(string(text)), imports))
}

func TestAWrongMarkIsFound(t *testing.T) {
	const text = "module m\n\nrequire (\n\ta.org/a v1.0.0\n\ta.org/a/b v1.0.0 // indirect\n\tc.org/c v1.0.0 // indirect\n)\n"
	for imports, wrong := range map[string]int{"a.org/a/x": 0, "a.org/a/b/x a.org/a": 1, "c.org/c": 2, "d.org/a": 1} {
		if got := wrongMarks(requirements(text), strings.Fields(imports)); len(got) != wrong {
			t.Errorf("imports %s: %v, want %d", imports, got, wrong)
		}
	}
}
