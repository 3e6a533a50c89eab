package walls

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// asksFixed is a question whether a buffer policy is fixed. Elsewhere the question is
// Learns: a kind that is not fixed need not learn.
var asksFixed = regexp.MustCompile(`[!=]= *(fleet\.Fixed\b|"fixed")|case .*(fleet\.Fixed\b|"fixed")`)

// mayAskFixed are the files that mean fixed policies alone, and why.
var mayAskFixed = map[string]string{
	"internal/decide/haircut/input.go":      "what is made from a plan outside Muster knows the rule of fixed shares",
	"internal/faces/draw/frontier.go":       "a point without a kind, of an earlier server, is a fixed one",
	"internal/faces/web/promise/promise.go": "the API tries shares of fixed policies",
}

// fixedAsked lists the files of the house that ask whether a policy is fixed.
func fixedAsked(root fs.FS) (files []string, err error) {
	err = fs.WalkDir(root, "internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
			return err
		}
		if !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".templ") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if asksFixed.Match(text) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// A kind of buffer policy that neither is fixed nor learns is possible: what learns is asked
// by Learns (or words.BufferLearns, trial.KeepsShare), and not by what is not fixed.
func TestWhatIsNotFixedIsNotTakenToLearn(t *testing.T) {
	files, err := fixedAsked(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if mayAskFixed[file] == "" {
			t.Errorf("%s asks whether a buffer policy is fixed; ask Learns, or say in mayAskFixed why it means fixed alone", file)
		}
	}
}
