package scenario

import (
	"fmt"
	"io"
	"time"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// Report is what came of one scenario.
type Report struct {
	File, Title  string
	Expectations int // figures and refusals that were judged
	Failures     []Failure
	NotYet       yamlfile.Errors
	Took         time.Duration
	Moments      []Moment // where the file asks for them
}

// Failure is something that was not as it should have been.
type Failure struct {
	File             string
	Line             int
	What             string
	Expected, Actual string
}

func (f Failure) String() string {
	return fmt.Sprintf("%s:%d: %s: expected %s, actual %s", f.File, f.Line, f.What, f.Expected, f.Actual)
}

// Passed says whether everything was as it should be, and nothing left out.
func (r Report) Passed() bool { return len(r.Failures) == 0 && len(r.NotYet) == 0 }

// Write prints the scenario's line, and one for each thing that was wrong.
func (r Report) Write(out io.Writer) {
	verdict := "ok  "
	if !r.Passed() {
		verdict = "FAIL"
	}
	fmt.Fprintf(out, "%s %s (%s): %d expectations, %d ms\n", verdict, r.Title, r.File, r.Expectations, r.Took.Milliseconds())
	for _, e := range r.NotYet {
		fmt.Fprintf(out, "     %v\n", e)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(out, "     %v\n", f)
	}
}

func (t *telling) fail(line int, what, expected, actual string) {
	t.report.Failures = append(t.report.Failures, Failure{t.file.Name, line, what, expected, actual})
}
