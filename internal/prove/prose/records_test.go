package prose

import (
	"path/filepath"
	"strings"
	"testing"
)

// recordsFolder has the decision records; the README there lists them.
const recordsFolder = "docs/adr/"

// unlistedRecords are the records that their list does not have, or not by their title.
func unlistedRecords(list string, titles map[string]string) (found []fault) {
	for name, title := range titles {
		number, text, _ := strings.Cut(strings.TrimPrefix(title, "# "), ". ")
		if line := "- [" + number + "](" + name + "): " + text + "\n"; !strings.Contains(list, line) {
			found = append(found, fault{recordsFolder + name, 1, sprintf("is not in %sREADME.md; add the line %q", recordsFolder, strings.TrimSpace(line))})
		}
	}
	return found
}

func TestEveryRecordIsListed(t *testing.T) {
	titles, list := map[string]string{}, ""
	for name, data := range prose(t) {
		title, _, _ := strings.Cut(string(data), "\n")
		switch base := filepath.Base(name); {
		case !strings.HasPrefix(name, recordsFolder) || strings.HasPrefix(base, "0000-"):
		case base == "README.md":
			list = string(data)
		default:
			titles[base] = title
		}
	}
	if len(titles) < 19 {
		t.Errorf("only %d records were read", len(titles))
	}
	for _, f := range unlistedRecords(list, titles) {
		t.Error(f)
	}
}

func TestARecordThatIsNotListedIsFound(t *testing.T) {
	list := "- [0001](0001-a.md): A thing\n"
	for title, wrong := range map[string]bool{"# 0001. A thing": false, "# 0001. Another thing": true, "# 0002. A thing": true} {
		if got := len(unlistedRecords(list, map[string]string{"0001-a.md": title})) > 0; got != wrong {
			t.Errorf("%q is wrong: %v, want %v", title, got, wrong)
		}
	}
}
