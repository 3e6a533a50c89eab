package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRowsAreSortedByTheColumnThatIsNamed(t *testing.T) {
	for by, want := range map[string]string{
		"job": "b c d a", "-job": "a d c b", "gpus": "c d b a", "-gpus": "a b c d", "GPUS": "c d b a", "age": "d a c b", "held_for": "a b c d",
	} {
		is := newTable("", column{head: "JOB"}, column{head: "GPUS"}, column{head: "AGE"}, column{head: "HELD FOR"})
		is.add("Zoe/a", 100, 2*time.Minute, "")
		is.add("ada/b", 16, 3*time.Hour, "")
		is.hide("bob/c", int32(8), 3*time.Minute, "")
		is.add("eve/d", 8, 90*time.Second, "")
		if err := is.sort(by); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, row := range is.rows {
			_, name, _ := strings.Cut(row[0].(string), "/")
			got = append(got, name)
			if is.hidden[i] != (name == "c") {
				t.Errorf("--sort %s: row %s is hidden: %v", by, name, is.hidden[i])
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("--sort %s: %s, want %s", by, text, want)
		}
	}
	if err := newTable("", column{head: "GPUS"}).sort("gpu"); err == nil || !strings.Contains(err.Error(), `did you mean "gpus"`) {
		t.Errorf("a typing error: %v", err)
	}
	if err := newTable("", column{head: "A"}, column{head: "B C"}).sort("zzz"); err == nil || !slices.Contains(strings.Fields(err.Error()), "b-c") {
		t.Errorf("no such column: %v", err)
	}
}
