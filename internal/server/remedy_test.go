package server

import (
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// doRemedy JOB TEXT does what muster why says would help: of the changes it
// lists, the one with this text, by the commands that it gives. The job must run
// then, or have its room reserved.
func doRemedy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: does JOB TEXT")
	}
	for _, line := range remedyFor(ts, args[0], args[1]) {
		words := strings.Fields(line)
		ts.Logf("does: %s", line)
		ts.Check(ts.Exec(words[0], words[1:]...))
	}
	ts.Check(ts.Exec("muster", "job", "show", args[0], "-o", "json"))
	shown := ts.ReadFile("stdout")
	if !strings.Contains(shown, `"state": "running"`) && !strings.Contains(shown, `"state": "starting"`) {
		ts.Fatalf("%s was done, and %s does not start:\n%s", args[1], args[0], shown)
	}
}

// remedyFor is the commands of the change that has a text.
func remedyFor(ts *testscript.TestScript, job, text string) []string {
	ts.Check(ts.Exec("muster", "why", job, "-o", "json"))
	var answer struct {
		Changes []struct {
			Text     string
			Commands []string
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	var known []string
	for _, c := range answer.Changes {
		if strings.Contains(c.Text, text) {
			return c.Commands
		}
		known = append(known, c.Text)
	}
	ts.Fatalf("nothing that helps %s says %q; there are:\n%s", job, text, strings.Join(known, "\n"))
	return nil
}
