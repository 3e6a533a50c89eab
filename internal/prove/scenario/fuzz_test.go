package scenario

import (
	"errors"
	"os"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// FuzzScenarioFile: whatever is in a file, it is refused with a place, or it is
// a story whose steps come in order of time.
func FuzzScenarioFile(f *testing.F) {
	files, err := gather([]string{"../../../scenarios"})
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f", data)
		var wrong yamlfile.Errors
		switch {
		case errors.As(err, &wrong) && len(wrong) > 0:
			return
		case err != nil:
			t.Fatalf("no place in %v", err)
		}
		last := Step{}
		for _, s := range file.Steps {
			if s.At < last.At || s.Line < 1 {
				t.Fatalf("step %+v after %+v", s, last)
			}
			last = s
		}
	})
}
