package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/prove/scenario"
)

func newScenario(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Aliases: []string{"scenarios"}, Short: "stories about a fleet, and what must be true along the way: run, conformance"}
	return group(cmd, newScenarioRun(a), newScenarioConformance(a))
}

// scenarioRunOptions are those of `muster scenario run`.
type scenarioRunOptions struct {
	*app
	driver string
	storyOptions
}

func newScenarioRun(a *app) *cobra.Command {
	o := &scenarioRunOptions{app: a}
	cmd := &cobra.Command{
		Use:   "run FILE|FOLDER...",
		Short: "run scenario files, with the same core that serves production",
		Long: `Run tells each story in virtual time and prints a line for it, and for each expectation that failed
what was expected and what was so. Exit code 0: all passed; 1: some failed; 2: a file is malformed.

With --driver kubernetes the stories are told on a real control plane, with the same expectations: their
nodes and pods are made there, as people make them, and Muster's agent carries out what is decided. It
is for control planes whose nodes are made up (kwok; make controlplane-up NODES=0 starts one), and
refuses one that holds other nodes or pods. What it makes is labelled muster.dev/story, and
taken away after each story, except namespaces. Stories with users or with several
clusters cannot be told so: they are told on the simulated driver, which is said.

With -o json or yaml each story says every figure of every workload, quota, partition and namespace
at each of its expect steps and at its end (moments).`,
		Example: "  muster scenario run scenarios\n  muster scenario run my-policy.yaml\n  muster scenario run --driver kubernetes --kubeconfig $KUBECONFIG scenarios/placing-gang-in-one-rack.yaml",
		Args:    needs(1, -1, "the names of scenario files, or of folders with them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := o.teller(cmd.Context())
			if err != nil {
				return err
			}
			if a.output == "table" || a.output == "wide" {
				return judged(scenario.RunAllBy(cmd.Context(), a.Out, args, by))
			}
			return a.scenarioData(cmd.Context(), args, by)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.driver, "driver", "simulated", "simulated, or kubernetes: on a real control plane with made-up nodes")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "with --driver kubernetes: its kubeconfig; it must be named")
	f.StringVar(&o.Context, "context", "", "context in the kubeconfig; without it the current one")
	f.BoolVar(&o.Anyway, "anyway", false, "tell stories though the cluster holds nodes or pods of others; these count in the story")
	return cmd
}

// teller is who tells the stories.
func (o *scenarioRunOptions) teller(ctx context.Context) (scenario.Teller, error) {
	switch {
	case o.driver == "simulated" && (o.Kubeconfig != "" || o.Context != "" || o.Anyway):
		return nil, usage("--kubeconfig, --context and --anyway are of --driver kubernetes")
	case o.driver == "simulated":
		return scenario.Run, nil
	case o.driver != "kubernetes":
		return nil, usage("--driver %.40q; write simulated or kubernetes", o.driver)
	case o.Kubeconfig == "": // the usual one may be of a cluster that people work on
		return nil, usage("--driver kubernetes makes and deletes nodes: name the cluster's file with --kubeconfig")
	}
	o.storyOptions.Err = o.Env.Err
	return tellStories(ctx, o.storyOptions)
}

// scenarioData runs scenarios and writes what came of each as data.
func (a *app) scenarioData(ctx context.Context, paths []string, by scenario.Teller) error {
	reports := []any{}
	tell := func(ctx context.Context, f *scenario.File) (scenario.Report, error) {
		f.Moments = a.output != "csv"
		return by(ctx, f)
	}
	t := newTable("", column{head: "FILE"}, column{head: "TITLE"}, column{head: "PASSED"}, column{head: "EXPECTATIONS"}, column{head: "FAILURES"}, column{head: "TOOK"})
	verdict := scenario.EachBy(ctx, paths, tell, func(file string, r scenario.Report, wrong yamlfile.Errors) {
		failures := []any{}
		for _, f := range r.Failures {
			failures = append(failures, object{{"line", f.Line}, {"what", f.What}, {"expected", f.Expected}, {"actual", f.Actual}})
		}
		passed := wrong == nil && r.Passed()
		o := object{
			{"file", file},
			{"title", r.Title},
			{"passed", passed},
			{"expectations", r.Expectations},
			{"failures", failures},
			{"tookSeconds", r.Took.Seconds()},
			{"moments", momentsData(r.Moments)},
		}
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
