package scenario

import (
	"os"
	"strings"
	"testing"
)

const stories = "../../../scenarios"

// TestConformancePage holds docs/conformance.md to what the stories say.
func TestConformancePage(t *testing.T) {
	var made strings.Builder
	if err := Conformance(&made, stories); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != made.String() {
		t.Error("docs/conformance.md is not what the stories say; run make conformance")
	}
}

func TestEveryRetoldCaseIsToldOnce(t *testing.T) {
	all, err := retellings(stories)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, r := range all {
		key := document(r.Peer.Source) + " " + r.Peer.Case
		if other, twice := seen[key]; twice {
			t.Errorf("%s and %s both retell %s", other, r.file, key)
		}
		seen[key] = r.file
	}
	if len(all) < 150 {
		t.Errorf("%d situations of other schedulers are retold, want at least 150", len(all))
	}
}

func TestStoriesUnderPeersNameTheirPeer(t *testing.T) {
	files, err := gather([]string{stories + "/peers"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Peer == nil {
			t.Errorf("%s has no peer: say whose situation it is", name)
		}
	}
}

func TestAPeerIsReadAsItSays(t *testing.T) {
	const peer = "peer: {source: https://github.com/o/r/blob/c0ffee/a/b_test.go#L12, case: x, there: y, answer: adapted, why: z}\n"
	f, err := Parse("f", append([]byte(peer), story(submitW)...))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Peer{"https://github.com/o/r/blob/c0ffee/a/b_test.go#L12", "x", "y", Adapted, "z"}); *f.Peer != want {
		t.Errorf("peer is %+v", *f.Peer)
	}
	if got := f.Peer.Project() + " " + shelf(f.Peer.Source); got != "o/r a/b_test.go" {
		t.Errorf("it stands under %q", got)
	}
}

func TestAPeerThatIsWrongIsRefused(t *testing.T) {
	for wrong, says := range map[string]string{
		"peer: {source: https://github.com/o/r/issues/1, there: y, answer: other, why: z}":         "same",
		"peer: {source: https://github.com/o/r/issues/1, there: y, answer: same}":                  "why",
		"peer: {source: https://github.com/o, there: y, answer: same, why: z}":                     "no address in a repository",
		"peer: {source: https://github.com/o/r/issues/1, there: y, answer: same, why: z, said: x}": "said",
	} {
		_, err := Parse("f", append([]byte(wrong+"\n"), story(submitW)...))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v, want one with %q", wrong, err, says)
		}
	}
}
