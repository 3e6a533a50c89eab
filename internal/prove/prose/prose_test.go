package prose

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	unheld = "testdata/unheld.txt"
)

var (
	update = flag.Bool("update", false, "take files that pass, or are gone, off the list of files not held yet")
	adopt  = flag.String("adopt", "", "with -update: files of this prefix that do not pass, after a move, come onto the list")
	show   = flag.String("show", "", "print what is wrong in the files of this prefix")
)

// skipped are folders without prose of ours.
var skipped = []string{"gen", "bin", ".git", "node_modules", "testdata", "vendor", "test/controlplane"}

// prose reads every file that is held, by its path from the root.
func prose(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, entry.Name()) || slices.Contains(skipped, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".proto", ".templ"}, path.Ext(name)) || strings.HasSuffix(name, "_templ.go") {
			return nil
		}
		files[name], err = os.ReadFile(filepath.Join(root, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("found only %d files: this test does not see the repository", len(files))
	}
	return files
}

// listed reads the files that do not pass yet.
func listed(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(unheld)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		list[strings.TrimSpace(line)] = true
	}
	return list
}

// TestPlainEnglish holds the prose of every file that is not on the list, and
// keeps the list honest: it may only become shorter.
func TestPlainEnglish(t *testing.T) {
	files, list := prose(t), listed(t)
	var still []string
	for name, data := range files {
		faults, err := faultsOf(name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		adopted := *adopt != "" && strings.HasPrefix(name, *adopt)
		switch {
		case *show != "" && strings.HasPrefix(name, *show):
			for _, f := range faults {
				t.Log(f)
			}
		case len(faults) == 0 && list[name] && !*update:
			t.Errorf("%s passes: take it off internal/prove/prose/%s (go test ./internal/prove/prose -update)", name, unheld)
		case len(faults) > 0 && !list[name] && !adopted:
			for _, f := range faults {
				t.Error(f)
			}
		}
		if len(faults) > 0 && (list[name] || adopted) {
			still = append(still, name)
		}
	}
	for name := range list {
		if _, is := files[name]; !is && !*update {
			t.Errorf("%s is gone: take it off internal/prove/prose/%s (go test ./internal/prove/prose -update)", name, unheld)
		}
	}
	t.Logf("%d of %d files are held", len(files)-len(still), len(files))
	if *update {
		slices.Sort(still)
		if err := os.WriteFile(unheld, []byte(strings.Join(still, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
