package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/config"
	"github.com/muster-fleet/muster/internal/scenario"
)

func newScenario(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Aliases: []string{"scenarios"}, Short: "stories about a fleet, and what must be true along the way: run, conformance"}
	return group(cmd, newScenarioRun(a), newScenarioConformance(a))
}

func newScenarioRun(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "run FILE|FOLDER...",
		Short: "run scenario files, with the same core that serves production",
		Long: `Run tells each story in virtual time and prints a line for it, and for each expectation that failed
what was expected and what was so. Exit code 0: all passed; 1: some failed; 2: a file is malformed.`,
		Example: "  muster scenario run scenarios\n  muster scenario run my-policy.yaml",
		Args:    needs(1, -1, "the names of scenario files, or of folders with them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.output == "table" || a.output == "wide" {
				return judged(scenario.RunAll(cmd.Context(), a.Out, args))
			}
			return a.scenarioData(cmd.Context(), args)
		},
	}
}

// scenarioData runs scenarios and writes what came of each as data.
func (a *app) scenarioData(ctx context.Context, paths []string) error {
	reports := []any{}
	t := newTable("", column{head: "FILE"}, column{head: "TITLE"}, column{head: "PASSED"}, column{head: "EXPECTATIONS"}, column{head: "FAILURES"}, column{head: "TOOK"})
	verdict := scenario.Each(ctx, paths, func(file string, r scenario.Report, wrong config.Errors) {
		failures := []any{}
		for _, f := range r.Failures {
			failures = append(failures, object{{"line", f.Line}, {"what", f.What}, {"expected", f.Expected}, {"actual", f.Actual}})
		}
		passed := wrong == nil && r.Passed()
		o := object{{"file", file}, {"title", r.Title}, {"passed", passed}, {"expectations", r.Expectations}, {"failures", failures}, {"tookSeconds", r.Took.Seconds()}}
		if len(wrong) > 0 {
			o = append(o, member{"malformed", wrong.Error()})
		}
		if len(r.NotYet) > 0 {
			o = append(o, member{"notYet", r.NotYet.Error()})
		}
		reports = append(reports, o)
		t.add(file, r.Title, passed, r.Expectations, len(failures), r.Took)
	})
	if err := a.print(a.Out, answer{value: object{{"scenarios", reports}}, rows: t}); err != nil {
		return err
	}
	return judged(verdict)
}

// judged gives what came of the scenarios its exit code. It was told already:
// the sum is the last line.
func judged(err error) error {
	var failed *scenario.FailedError
	var malformed *scenario.MalformedError
	var path *fs.PathError
	switch {
	case errors.As(err, &failed):
		return &told{err, ExitError}
	case errors.As(err, &malformed):
		return &told{err, ExitUsage}
	case errors.As(err, &path):
		return Malformed(err)
	}
	return err
}
