package cli

import (
	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/prove/scenario"
)

func newScenarioConformance(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "conformance FOLDER",
		Short: "the situations of other schedulers that stories retell, as a Markdown page",
		Long: `Conformance prints, by project and test, what is decided there, whether Muster answers the same, adapted or
deliberately different, and why: what the stories in the folder say of themselves under peer.`,
		Example: "  muster scenario conformance scenarios > docs/conformance.md",
		Args:    needs(1, 1, "the name of a folder with scenario files"),
		RunE: func(_ *cobra.Command, args []string) error {
			return judged(scenario.Conformance(a.Out, args[0]))
		},
	}
}
