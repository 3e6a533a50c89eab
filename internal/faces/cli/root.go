package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
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

// exclusive is how the command line reads flags of which only one may be given.
var exclusive = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// together says in words that flags were given which exclude each other.
func together(err error) error {
	if err == nil {
		return nil
	}
	if m := exclusive.FindStringSubmatch(err.Error()); m != nil {
		return usage("--%s exclude each other; give one of them", strings.Join(strings.Fields(m[1]), " and --"))
	}
	return err
}

// wordsFirst leaves --help out where the word before it is no command of its group: that is said
// then, and what was meant, where the help of the whole group would hide it.
func wordsFirst(root *cobra.Command, args []string) []string {
	at, rest, err := root.Find(args)
	if err != nil || at.Annotations[onlyVerbs] == "" || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return args
	}
	return slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "--help" || s == "-h" })
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

// negative is how the command line reads a number below zero: as a flag.
var negative = regexp.MustCompile(`unknown shorthand flag: '[\d.]' in (-[\d.]+%?)`)

// badFlag says what is wrong with a flag.
func badFlag(cmd *cobra.Command, err error) error {
	var ours *usageError
	var value *pflag.InvalidValueError
	switch m := negative.FindStringSubmatch(err.Error()); {
	case m != nil && strings.HasSuffix(cmd.CommandPath(), "quota grant"):
		return notRelative(m[1])
	case m != nil && strings.HasSuffix(cmd.CommandPath(), "buffer set"):
		return usage("%s is below zero; write a share from 0%% to 100%%, as in 8.3%% or 0.083", m[1])
	case m != nil:
		return usage("%s is below zero; write a whole number from 0", m[1])
	case errors.As(err, &value) && errors.As(err, &ours):
		return usage("--%s: %s", value.GetFlag().Name, ours.message)
	case errors.As(err, &value):
		return usage("--%s: %s", value.GetFlag().Name, rightValue(value))
	}
	if hint := unasked(cmd, err); hint != "" {
		return usage("%s; %s", err.Error(), hint)
	}
	if hint := shortMeant(cmd, err); hint != "" {
		return usage("%s; %s", err.Error(), hint)
	}
	if other := alikeFlag(cmd, err); other != "" {
		return usage("%s; %s", err.Error(), other)
	}
	if near := nearFlag(cmd, err); near != "" {
		return usage("%s; did you mean --%s?", err.Error(), near)
	}
	if verbs := verbWith(cmd, err); verbs != "" {
		return usage("%s; %s", err.Error(), verbs)
	}
	return usage("%s", err.Error())
}

// rightValue says what is wrong with the value of a flag, and what it takes: of a plain kind, with its default as
// the example.
func rightValue(wrong *pflag.InvalidValueError) string {
	f, value := wrong.GetFlag(), fmt.Sprintf("%.40q ", wrong.GetValue())
	example := f.DefValue
	switch kind := f.Value.Type(); {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		if len(example) == 0 || example == "0" || strings.HasPrefix(example, "-") {
			example = "8"
		}
		return value + "is no number that it takes; write a whole number, as in " + example
	case strings.HasPrefix(kind, "float"):
		return value + "is no number; write one as in " + example
	case kind == "bool":
		return value + "is neither true nor false; write --" + f.Name + " alone, or --" + f.Name + "=false"
	case strings.HasPrefix(kind, "stringTo"):
		return value + "has no = in it; write it as in NAME=VALUE"
	}
	return errors.Unwrap(wrong).Error() // kinds of our own say it themselves
}

// unknownFlag is how the command line reads a flag that the command does not have.
var unknownFlag = regexp.MustCompile(`unknown flag: --([^ =]+)`)

// nearFlag is the flag of a command that an unknown one probably stands for; "": none.
func nearFlag(cmd *cobra.Command, err error) string {
	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	var known []string
	kind := ""
	note := func(f *pflag.Flag) {
		known = append(known, f.Name)
		if form := formFor(f, m[1]); form != "" {
			kind = f.Name + " " + form
		}
	}
	cmd.Flags().VisitAll(note)
	cmd.InheritedFlags().VisitAll(note)
	return cmp.Or(yamlfile.Nearest(m[1], known), kind)
}

// formFor is how the value of a flag is written that says of what kind it is, as in user:NAME; "": not for that kind.
func formFor(f *pflag.Flag, kind string) string {
	forms, _ := pflag.UnquoteUsage(f)
	for form := range strings.SplitSeq(forms, "|") {
		if strings.HasPrefix(form, kind+":") {
			return form
		}
	}
	return ""
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

// mostKnown is how many commands a refusal lists; help has those of a longer list, with what each is for.
const mostKnown = 12

// meantCommand says which commands of a group may be meant, or which there are.
func meantCommand(cmd *cobra.Command, word string, known []string) string {
	if other := otherVerbs[cmd.CommandPath()+" "+word]; other != "" {
		return other
	}
	if there := below(cmd, word); len(there) > 0 {
		return "did you mean " + strings.Join(there, " or ") + "?"
	}
	if begins := beginning(word, known); len(begins) > 0 {
		return "did you mean " + strings.Join(begins, " or ") + "?"
	}
	if near := yamlfile.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) > mostKnown {
		return cmd.CommandPath() + " --help lists its commands"
	}
	return "known here: " + strings.Join(known, ", ")
}

// mostMeant is how many commands are proposed: more help less.
const mostMeant = 3

// beginning are the commands that begin with a word, in quotes; none where many do, or it is one letter.
func beginning(word string, known []string) (found []string) {
	for _, name := range known {
		if len(word) > 1 && strings.HasPrefix(name, strings.ToLower(word)) {
			found = append(found, fmt.Sprintf("%q", name))
		}
	}
	if len(found) > mostMeant {
		return nil
	}
	return found
}

// below are the commands one level further down that bear a word, unless it is
// one that most groups have.
func below(cmd *cobra.Command, word string) (found []string) {
	for _, group := range cmd.Commands() {
		for _, verb := range group.Commands() {
			if verb.Name() == word && !verb.Hidden && group.Name() != "completion" {
				found = append(found, fmt.Sprintf("%q", verb.CommandPath()))
			}
		}
	}
	if len(found) > mostMeant {
		return nil
	}
	return found
}

func (a *app) getenv(key, otherwise string) string {
	if v := a.Getenv(key); v != "" {
		return v
	}
	return otherwise
}

// client reaches the server.
func (a *app) client() *client.Client {
	return client.New(client.Options{Address: a.server, Token: cmp.Or(a.tokenInForce(), a.localToken()), As: a.as, HTTPClient: a.HTTP, PlainHTTP: PlainHTTP(a.Getenv)})
}

// PlainHTTP says whether a token may go to another machine by plain HTTP, as the environment says.
func PlainHTTP(getenv func(string) string) bool {
	free, err := strconv.ParseBool(getenv(client.PlainHTTPEnv))
	return err == nil && free
}

// tokenEnv names the variable that may hold a token.
const tokenEnv = "MUSTER_TOKEN"

// tokenInForce is the token that the server is shown; "": none.
func (a *app) tokenInForce() string {
	if token, _ := a.tokenGiven(); token != "" {
		return token
	}
	return a.ownSignIn()
}

// tokenGiven is the token that a person gave, without the end of its line, and where; "": none.
func (a *app) tokenGiven() (token, where string) {
	if a.token != "" {
		return strings.TrimSpace(a.token), "--token"
	}
	return strings.TrimSpace(a.Getenv(tokenEnv)), tokenEnv
}

// checkToken refuses a token that no request can carry, before anything is asked.
func (a *app) checkToken() error {
	token, where := a.tokenGiven()
	if at := strings.IndexFunc(token, unicode.IsControl); at >= 0 {
		return usage("%s is not a token: it has %s in it; a token is one word on one line", where, strangeText(token[at]))
	}
	return nil
}

// strangeText names a control character.
func strangeText(c byte) string {
	if c == '\n' || c == '\r' {
		return "a line break"
	}
	return fmt.Sprintf("the control character 0x%02x", c)
}

// needs checks the arguments of a command by the words that its usage line has for them.
func needs(least, most int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s needs %s%s", cmd.CommandPath(), words, listedBy(cmd, words))
		case most >= 0 && len(args) > most:
			if most == 0 {
				return usage("%s takes no arguments, and was given %.40q", cmd.CommandPath(), args[0])
			}
			return usage("%s takes %s, and was given %.40q besides", cmd.CommandPath(), words, args[most])
		}
		return nil
	}
}

// makes are the verbs whose name is a new one, so that no list has it.
var makes = []string{"create", "add", "open", "register"}

// listedBy says which command lists the names of which one is missing; "": there is none.
func listedBy(cmd *cobra.Command, words string) string {
	named := strings.HasPrefix(words, "the name") || strings.HasPrefix(words, "the path") || strings.HasPrefix(words, "the number")
	if !named || slices.Contains(makes, cmd.Name()) || !cmd.HasParent() {
		return ""
	}
	for _, verb := range cmd.Parent().Commands() {
		if verb.Name() == "list" {
			return "; " + verb.CommandPath() + " shows those there are"
		}
	}
	return ""
}

// first is the first argument, "" for none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// Needs checks the arguments of a command: at least so many, at most so many (below
// zero: any number), said in the words that its usage line has for them.
func Needs(least, most int, words string) cobra.PositionalArgs { return needs(least, most, words) }
