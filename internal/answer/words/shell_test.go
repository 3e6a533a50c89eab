package words

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlainWordsStayAsTheyAre(t *testing.T) {
	if got, want := Shell("muster", "fit", "--pool", "main=2..8x8,reach=rack", "--reason", "…"), "muster fit --pool main=2..8x8,reach=rack --reason …"; got != want {
		t.Errorf("says %s", got)
	}
	if got, want := Shell("muster", "events", "--about", "$(touch x)", ""), "muster events --about '$(touch x)' ''"; got != want {
		t.Errorf("says %s", got)
	}
}

// A real shell reads back exactly what was written.
func TestAShellReadsWhatWasMeant(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here: nothing can read the line back")
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching("[ -~\n\tä…]{0,12}"), 1, 4).Draw(t, "words")
		out, err := exec.Command(sh, "-c", "printf '%s\\0' "+Shell(list...)).Output()
		if want := strings.Join(list, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Fatalf("%q was read as %q: %v", list, out, err)
		}
	})
}
