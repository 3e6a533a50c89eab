package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/prove/bench"
)

// app is what all commands share: the world, and the flags of the root.
type app struct {
	*Env
	server, token, as string
	timeout           span
	output            string
	exitCode          bool
	sort              string    // column by which tables are sorted; "": as they come
	lookedAt          time.Time // the moment that is asked about; zero: now
}

// Program is the command line of muster. Who makes it adds the commands that need
// more than a client: those that run a server.
type Program struct {
	*Env
	app  *app
	root *cobra.Command
}

// New makes the command line with all commands that a client can carry out.
func New(env *Env) *Program {
	a := &app{Env: env}
	return &Program{Env: env, app: a, root: newRoot(a)}
}

// Add adds commands that run something until they are told to stop.
func (p *Program) Add(commands ...*cobra.Command) { p.app.add(p.root, running, commands) }

// AddBench adds the command that measures. Some benches reach an engine through
// the API (remote), some open its pages.
func (p *Program) AddBench(remote bench.Remote, pages bench.Pages) {
	p.app.add(p.root, trying, []*cobra.Command{newBench(p.app, remote, pages)})
}

// Root is the command that all others stand below.
func (p *Program) Root() *cobra.Command { return p.root }

// ServerAddress is what --server says.
func (p *Program) ServerAddress() string { return p.app.server }

// ReadFile reads a file that the command line names; - is standard input. Its size
// is bounded.
func (p *Program) ReadFile(name string) ([]byte, error) { return p.app.open(name) }

// Run runs one command line and returns its exit code.
func (p *Program) Run(ctx context.Context, args []string) int {
	completion(p.root)
	p.root.SetArgs(wordsFirst(p.root, args))
	cmd, err := p.root.ExecuteContextC(ctx)
	err = together(err)
	code := exitCode(err)
	if _, silent := asTold(err); err == nil || silent {
		return code
	}
	_, _ = fmt.Fprintln(p.Err, p.inLines("muster: "+explain(typed(cmd, err))))
	var u *usageError
	if errors.As(err, &u) && u.cause == nil && cmd != nil {
		_, _ = fmt.Fprintf(p.Err, "See %s --help\n", cmd.CommandPath())
	}
	return code
}

// onlyVerbs marks a command that does nothing without one of its verbs.
const onlyVerbs = "verbs"

// The groups of commands in the help.
const (
	asking   = "asking"
	working  = "working"
	changing = "changing"
	trying   = "trying"
	running  = "running"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "muster",
		Short:         "what a GPU fleet can really muster, and a promise that holds",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       a.Version,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd.Annotations[formatsOf]); err != nil {
				return err
			}
			if err := namesAUser(cmd); err != nil {
				return err
			}
			if err := blankFlag(cmd); err != nil {
				return err
			}
			if err := blankArgument(cmd, args); err != nil {
				return err
			}
			return a.checkToken()
		},
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(badFlag)
	foldHelp(root)
	root.AddGroup(
		&cobra.Group{ID: running, Title: "Run a fleet:"},
		&cobra.Group{ID: asking, Title: "Ask:"},
		&cobra.Group{ID: working, Title: "Work:"},
		&cobra.Group{ID: changing, Title: "Change the fleet:"},
		&cobra.Group{ID: trying, Title: "Try before you trust:"},
	)
	a.flags(root)
	a.commands(root)
	takeArgumentFlags(root)
	return group(root)
}

const rootLong = `Muster tells a GPU fleet's people what the fleet can really muster, and makes that promise hold:
when a researcher sees quota, all of it can be used; everything else that is healthy is flex.

A first look: muster up --demo in one terminal, muster capacity in another.`

func (a *app) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.server, "server", a.getenv("MUSTER_SERVER", client.DefaultAddress), "the server, as host:port or URL; several of one fleet with commas in between ($MUSTER_SERVER)")
	f.StringVar(&a.token, "token", "", "who you are to the server ($MUSTER_TOKEN); not needed on loopback")
	f.StringVar(&a.as, "as", "", "the user to act for, with their rights and no more; only operators may")
	f.Var(&a.timeout, "timeout", "give up after so long, with exit code 124 (1m; none while watching)")
	f.StringVarP(&a.output, "output", "o", "table", "table, wide, json, yaml or csv")
	f.BoolVar(&a.exitCode, "exit-code", false, "exit with 3 if what was asked for is not so")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
}

var outputs = []string{"table", "wide", "json", "yaml", "csv"}

func (a *app) check(more string) error {
	for _, known := range append(strings.Fields(more), outputs...) {
		if a.output == known {
			return nil
		}
	}
	return usage("-o %.40q is not a format; write one of %s", a.output, strings.Join(outputs, ", "))
}

// namesAUser refuses an empty --as: a script whose variable is empty would act as the operator that runs it.
func namesAUser(cmd *cobra.Command) error {
	if f := cmd.Flags().Lookup("as"); f != nil && f.Changed && f.Value.String() == "" {
		return usage("--as is empty; name the user to act for, or leave it out")
	}
	return nil
}

func (a *app) commands(root *cobra.Command) {
	for _, group := range []struct {
		id   string
		list []*cobra.Command
	}{
		{running, []*cobra.Command{newMetrics(a), newVersion(a), newLogin(a), newLogout(a), newTrust(a)}},
		{asking, []*cobra.Command{
			newCapacity(a), newPromise(a), newFree(a), newFit(a), newWhy(a), newWhen(a), newGet(a), newDescribe(a), newEvents(a), newStatus(a), newWhoami(a),
			newHealth(a), newLemons(a), newOutlook(a), newComing(a), newNodes(a), newMTTR(a), newTargets(a), newReport(a),
		}},
		{working, []*cobra.Command{newSubmit(a, "muster submit"), newJob(a)}},
		{changing, []*cobra.Command{
			newApply(a), newDiff(a), newQuota(a), newNode(a), newIncident(a), newSubscription(a), newSignal(a), newBuffer(a), newHaircut(a),
			newCluster(a), newBlueprint(a), newCloud(a), newUsage(a), newUpdate(a), newRollout(a), newZone(a), newNotice(a), newMaintenance(a),
			newRole(a), newToken(a), newSession(a), newProposal(a), newAudit(a), newUndo(a),
		}},
		{trying, []*cobra.Command{newScenario(a), newSimulate(a), newBacktest(a)}},
	} {
		a.add(root, group.id, group.list)
	}
}

func (a *app) add(root *cobra.Command, group string, list []*cobra.Command) {
	for _, c := range list {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// completion makes the command that cobra brings along ours in tone.
func completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.GroupID = "print a script that completes commands in your shell", running
			group(c)
		}
	}
	root.SetHelpCommandGroupID(running)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Short = "say more about a command"
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				at, rest, err := root.Find(args)
				if err == nil && at.Annotations[onlyVerbs] != "" && len(rest) > 0 {
					return at.RunE(at, rest) // which says that there is no such command, and what was meant
				}
				if err != nil {
					return err
				}
				at.InitDefaultHelpFlag()
				return at.Help()
			}
		}
	}
}

// group makes a command that only has verbs say so when it is given none, or a wrong one.
func group(c *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	c.AddCommand(verbs...)
	c.Args, c.Annotations = cobra.ArbitraryArgs, map[string]string{onlyVerbs: "yes"}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		var known []string
		for _, v := range cmd.Commands() {
			known = append(known, v.Name())
		}
		return usage("%s has no command %.40q; %s", cmd.CommandPath(), args[0], meantCommand(cmd, args[0], known))
	}
	return c
}
