package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/scenario"
)

func newScenario(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Aliases: []string{"scenarios"}, Short: "stories about a fleet, and what must be true along the way: run"}
	return group(cmd, newScenarioRun(a))
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
			if a.output != "table" && a.output != "wide" {
				return usage("scenario run writes lines for people; -o %s is not there yet", a.output)
			}
			err := scenario.RunAll(cmd.Context(), a.Out, args)
			return judged(err)
		},
	}
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
