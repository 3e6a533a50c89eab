package walls

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The documents by which people find where a change goes.
var stepDocs = []string{"CONTRIBUTING.md", "docs/architecture.md"}

var (
	quoted     = regexp.MustCompile("`([^`\n]+)`")
	fileOrPath = regexp.MustCompile(`^[\w./-]+\.(go|templ|mjs|proto|md|yaml|tpl|jsonl|txt)$`)
	nameInCode = regexp.MustCompile(`^\w+(\.\w+)*(\(\))?$`)
	word       = regexp.MustCompile(`\w+`)
	example    = regexp.MustCompile(`NAME|NOUN|YOURS`) // the reader's own name stands there
)

// ground is what a document may name: files by their path, and words of the code.
type ground struct {
	files []string
	words map[string]bool
}

func groundOf(root fs.FS) (g ground, err error) {
	g.words = map[string]bool{}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && path.Base(name) != "testdata" && notOurs(root, name) {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if entry.IsDir() {
			return nil
		}
		g.files = append(g.files, name)
		g.words[path.Base(name)] = true
		if !slices.Contains([]string{".go", ".templ", ".mjs", ".proto", ""}, path.Ext(name)) {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		for _, w := range word.FindAllString(string(text), -1) {
			g.words[w] = true
		}
		return err
	})
	return g, err
}

// lacks says whether a name in backticks is one of a file or of code, and neither is there.
func (g ground) lacks(name string) bool {
	switch {
	case example.MatchString(name):
		return false
	case fileOrPath.MatchString(name):
		return !slices.ContainsFunc(g.files, func(f string) bool { return f == name || strings.HasSuffix(f, "/"+name) })
	case nameInCode.MatchString(name):
		return slices.ContainsFunc(word.FindAllString(name, -1), func(w string) bool { return !g.words[w] })
	}
	return false
}

// goneNames lists the files and the names of code that documents name in backticks and that are not there.
func goneNames(root fs.FS, docs ...string) (gone []string, err error) {
	g, err := groundOf(root)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		text, err := fs.ReadFile(root, doc)
		if err != nil {
			return nil, err
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			if g.lacks(m[1]) {
				gone = append(gone, doc+" names "+m[1])
			}
		}
	}
	return gone, nil
}

func TestTheStepsNameWhatIsThere(t *testing.T) {
	gone, err := goneNames(os.DirFS("../../.."), stepDocs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range gone {
		t.Errorf("%s, which is not there: say what a change touches now", s)
	}
}

func TestANameThatIsGoneIsFound(t *testing.T) {
	gone, err := goneNames(fstest.MapFS{
		"a.md":               {Data: []byte("`here.go`, `a/here.go`, `b/here.go`, `gone.go`; `Here`, `fleet.Here`, `hereToo()`, `gone()`, `fleet.Gone`; `NAME_gone.go`, `make test`")},
		"internal/a/here.go": {Data: []byte("package fleet\n\ntype Here int\n\nfunc hereToo() {}\n")},
	}, "a.md")
	if want := "a.md names b/here.go a.md names gone.go a.md names gone() a.md names fleet.Gone"; err != nil || strings.Join(gone, " ") != want {
		t.Errorf("found %q, %v; want %q", gone, err, want)
	}
}
