package prose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A citation of the contract: a document's name where one is said, a section,
// and a rule of it. A section of a book says its edition first.
var (
	citation = regexp.MustCompile(`(ed\., |semantics(?:\.md)?,? |maintenance(?:\.md)?,? |cluster-life(?:\.md)?,? )?§(\d+)(?:\.(\d+))?`)
	section  = regexp.MustCompile(`^## (\d+)\. `)
	rule     = regexp.MustCompile(`^(\d+)\. `)
)

// sectionsOf lists the sections of a contract ("5"), and their numbered rules ("3.1").
func sectionsOf(text string) map[string]bool {
	found, at := map[string]bool{}, ""
	for line := range strings.Lines(text) {
		if m := section.FindStringSubmatch(line); m != nil {
			at = m[1]
			found[at] = true
		} else if m := rule.FindStringSubmatch(line); m != nil && at != "" {
			found[at+"."+m[1]] = true
		}
	}
	return found
}

// uncited lists citations of sections that no contract has.
func uncited(file, text string, contracts map[string]map[string]bool) []fault {
	var found []fault
	for _, m := range citation.FindAllStringSubmatchIndex(text, -1) {
		part := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		which := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(part(1), ", "), ".md"), ".,")
		if which == "ed" {
			continue
		}
		if which == "" {
			which = "semantics"
		}
		cited := part(2)
		if part(3) != "" {
			cited += "." + part(3)
		}
		if !contracts[which][cited] {
			line := 1 + strings.Count(text[:m[0]], "\n")
			found = append(found, fault{file, line, sprintf("cites §%s of docs/contract/%s.md, which has no such section", cited, which)})
		}
	}
	return found
}

func contracts(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, name := range []string{"semantics", "maintenance", "cluster-life"} {
		data, err := os.ReadFile(filepath.Join(root, "docs", "contract", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = sectionsOf(string(data))
	}
	return all
}

// TestEveryCitedSectionExists reads code, documents and stories alike. A contract
// cites itself with a bare number.
func TestEveryCitedSectionExists(t *testing.T) {
	all, count := contracts(t), 0
	for name, data := range prose(t) {
		if folder, base := filepath.Split(name); folder == "docs/contract/" && base != "semantics.md" || strings.HasPrefix(name, "internal/prove/prose/") {
			continue
		}
		count += strings.Count(string(data), "§")
		for _, f := range uncited(name, string(data), all) {
			t.Error(f)
		}
	}
	if count < 50 {
		t.Errorf("only %d citations were seen", count)
	}
}

func TestACitationOfNothingIsFound(t *testing.T) {
	all := contracts(t)
	for text, wrong := range map[string]bool{
		"as semantics §5 says": false, "(semantics §10.9)": false, "§3.1": false, "maintenance §6": false, "3rd ed., §77": false,
		"semantics §11": true, "(semantics §3.9)": true, "§1.1": true, "maintenance §12": true,
	} {
		if got := len(uncited("a.go", text, all)) > 0; got != wrong {
			t.Errorf("%q is wrong: %v, want %v", text, got, wrong)
		}
	}
}
