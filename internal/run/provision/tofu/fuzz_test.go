package tofu

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzBackend asks the state backend for anything, as a run of the cluster lynx: no other
// cluster's state changes, nothing is written outside of the folder, and no lock makes it fail.
func FuzzBackend(f *testing.F) {
	f.Add("POST", "net", "", "{}")
	f.Add("LOCK", "net", "", `{"ID":"a","Who":"ada"}`)
	f.Add("UNLOCK", "net", "a", `{"ID":"a"}`)
	f.Add("LOCK", "..", "", `[]`)
	f.Add("DELETE", "../../puma/net", "", "")
	f.Add("POST", "a/b\x00c", "", "\xff")
	f.Fuzz(func(t *testing.T, method, project, id, body string) {
		if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "" || len(project) > 80 {
			t.Skip()
		}
		top := t.TempDir()
		b := &backend{folder: filepath.Join(top, "states"), runs: map[string]guest{}}
		password := b.enter("run1", "lynx")
		other := filepath.Join(b.folder, "puma", "net.tfstate")
		if os.MkdirAll(filepath.Dir(other), 0o700) != nil || os.WriteFile(other, []byte("theirs"), 0o600) != nil {
			t.Fatal("the other state cannot be written")
		}
		for _, cluster := range []string{"lynx", "puma", ".."} {
			for range 2 {
				r := httptest.NewRequest(method, "/", strings.NewReader(body))
				r.URL.RawQuery = url.Values{"cluster": {cluster}, "project": {project}, "ID": {id}}.Encode()
				r.SetBasicAuth("run1", password)
				w := httptest.NewRecorder()
				b.ServeHTTP(w, r)
				if cluster != "lynx" && w.Code != http.StatusUnauthorized {
					t.Errorf("%s of %s/%q is answered with %d", method, cluster, project, w.Code)
				}
			}
		}
		if kept, err := os.ReadFile(other); err != nil || string(kept) != "theirs" {
			t.Errorf("the other cluster's state is %q, %v", kept, err)
		}
		if all, err := os.ReadDir(top); err != nil || len(all) != 1 {
			t.Errorf("%v lies beside the folder, %v", all, err)
		}
	})
}
