package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// inProse says whether a string reads like a sentence: three words of small letters in a row.
var inProse = regexp.MustCompile(`(^| )[A-Za-z%]?[a-z'%]+,? [a-z%][a-z'%]*,? [a-z%][a-z'%]+`)

// markup marks strings that are written for programs: pages, SQL, styles.
var markup = regexp.MustCompile(`[<{]|\bSELECT\b|\bCREATE TABLE\b|;\n`)

// goSource finds comments and, outside tests, messages.
func goSource(file string, data []byte) ([]passage, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(parsed) {
		return nil, nil
	}
	var list []passage
	for _, group := range parsed.Comments {
		list = append(list, passage{file, set.Position(group.Pos()).Line, comment, commentText(group)})
	}
	if strings.HasSuffix(file, "_test.go") {
		return list, nil
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && inProse.MatchString(text) && !markup.MatchString(text) {
				list = append(list, passage{file, set.Position(n.Pos()).Line, message, text})
			}
		}
		return true
	})
	return list, nil
}

// commentText is what a comment says, line by line. Indented lines are code, and
// an empty line ends a sentence.
func commentText(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		text := strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		for line := range strings.SplitSeq(text, "\n") {
			said := strings.TrimPrefix(line, "//")
			directive := said != "" && said[0] != ' ' && said[0] != '\t' && strings.HasPrefix(line, "//") && strings.Contains(said, ":")
			switch {
			case directive, strings.HasPrefix(said, "\t"), strings.HasPrefix(said, "  "):
				said = ""
			}
			lines = append(lines, strings.TrimSpace(said))
		}
	}
	return strings.Join(lines, "\n")
}

// lineComments finds the comments of a language whose comments begin with // or #.
func lineComments(file, text string) []passage {
	var list []passage
	var open []string
	start := 0
	end := func() {
		if len(open) > 0 {
			list = append(list, passage{file, start, comment, strings.Join(open, "\n")})
		}
		open = nil
	}
	for i, line := range strings.Split(text, "\n") {
		said, is := strings.CutPrefix(strings.TrimSpace(line), "//")
		if !is || strings.TrimSpace(said) == "" {
			end()
			continue
		}
		if len(open) == 0 {
			start = i + 1
		}
		open = append(open, strings.TrimSpace(said))
	}
	end()
	return list
}
