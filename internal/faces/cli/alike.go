package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/state/text"
)

// siblingFlags are the flags by which other commands ask for what a flag of this name asks for.
var siblingFlags = map[string][]string{
	"ended":     {"all"},
	"finished":  {"all"},
	"preempted": {"evicted"},
	"partition": {"scope", "cluster"},
	"cluster":   {"scope", "partition"},
	"scope":     {"partition", "cluster"},
	"quota":     {"target"},
	"target":    {"quota"},
	"who":       {"user", "by"},
	"user":      {"who", "owner"},
	"ns":        {"namespace"},
	"gpu":       {"gang", "pool"},
	"gpus":      {"gang", "pool"},
	"pending":   {"waiting", "state"},
	"running":   {"state"},
	"follow":    {"watch"},
	"tail":      {"limit"},
	"format":    {"output"},
	"json":      {"output"},
	"csv":       {"output"},
	"yaml":      {"output"},
	"sort-by":   {"sort"},
	"verbose":   {"output"},
	"message":   {"reason"},
	"comment":   {"reason"},
	"from":      {"since"},
	"days":      {"since"},
	"wave":      {"class"},
	"sev":       {"severity"},

	"all-namespaces": {"all", "namespace"},
}

// elsewhere is which commands answer what a flag of this name asks of others, where this one has no answer to it.
var elsewhere = map[string]string{
	"muster promise --since":       "all promises since the first one are counted here; muster report health --since 7d counts those of a time, and muster promise broken --since 7d lists what broke them",
	"muster cluster ready --since": "this is about now, or with --as-of about one moment; muster cluster shadow CLUSTER --since 7d compares with what happened since",
}

// otherVerbs say what answers words that a group lacks, and people expect there.
var otherVerbs = map[string]string{
	"muster node show":       "muster describe node NODE shows one",
	"muster node get":        "muster describe node NODE shows one",
	"muster node undrain":    "muster node uncordon NODE takes it back into service",
	"muster node resume":     "muster node uncordon NODE takes it back into service",
	"muster hold":            holdsAre,
	"muster holds":           holdsAre,
	"muster maintenance add": "muster notice add announces a maintenance, and muster rollout start brings updates to nodes",
}

const holdsAre = "muster quota hold lists the holds of quotas, and muster quota hold QUOTA PARTITION GPUS --until MOMENT makes one"

// places are the flags that ask where; many commands take that as an argument.
var places = map[string]bool{"partition": true, "cluster": true, "island": true, "scope": true}

// alikeFlag says how a command takes what an unknown flag asks for in others; "": it is not known.
func alikeFlag(cmd *cobra.Command, err error) string {
	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	if _, takes, found := strings.Cut(cmd.Use, " [CLUSTER"); places[m[1]] && found {
		return fmt.Sprintf("here it is an argument: %s [CLUSTER%s", cmd.CommandPath(), takes)
	}
	if other := elsewhere[cmd.CommandPath()+" --"+m[1]]; other != "" {
		return other
	}
	for _, other := range siblingFlags[m[1]] {
		if cmd.Flags().Lookup(other) != nil {
			return "did you mean --" + other + "?"
		}
	}
	return ""
}

// unaskedFlag is how the command line reads the flags of other tools by which a command asks no question.
var unaskedFlag = regexp.MustCompile(`unknown (flag: --(yes|force|assume-yes|no-confirm)$|shorthand flag: '([yf])' in )`)

// unasked says which flag keeps a command from asking, or that it asks nothing; "": the flag is another one.
func unasked(cmd *cobra.Command, err error) string {
	m := unaskedFlag.FindStringSubmatch(err.Error())
	follows := len(m) > 3 && m[3] == "f" && cmd.Flags().Lookup("watch") != nil
	switch {
	case m == nil:
		return ""
	case follows:
		return "did you mean --watch?"
	case cmd.Flags().Lookup("overcommit") != nil && cmd.Flags().Lookup("yes") != nil:
		return "--yes leaves the question out, and --overcommit with a --reason assigns more than is sustainable"
	case cmd.Flags().Lookup("yes") != nil:
		return "did you mean --yes? It leaves the question out that is asked on a terminal"
	case cmd.Flags().Lookup("dry-run") != nil:
		return cmd.CommandPath() + " asks no question, so leave it out; --dry-run says what would happen"
	}
	return cmd.CommandPath() + " asks no question, so leave it out"
}

// unknownShort is how the command line reads a short flag that the command does not have.
var unknownShort = regexp.MustCompile(`unknown shorthand flag: '([a-zA-Z])' in `)

// shortOf are flags that other tools have under a letter that is not the flag's first.
var shortOf = map[string]string{"l": "limit", "A": "all", "m": "reason", "h": "help"}

// shortMeant says which flags of a command an unknown short one may stand for; "": none, or many.
func shortMeant(cmd *cobra.Command, err error) string {
	m := unknownShort.FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	var meant []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, strings.ToLower(m[1])) || f.Name == shortOf[m[1]] {
			meant = append(meant, "--"+f.Name)
		}
	})
	if len(meant) == 0 || len(meant) > mostMeant {
		return ""
	}
	return "did you mean " + text.Or(meant) + "?"
}

// verbWith says which other verbs of the noun have an unknown flag; "": none, or many.
func verbWith(cmd *cobra.Command, err error) string {
	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil || !cmd.HasParent() || !cmd.Parent().HasParent() {
		return ""
	}
	var have []string
	for _, verb := range cmd.Parent().Commands() {
		if verb.LocalNonPersistentFlags().Lookup(m[1]) != nil {
			have = append(have, verb.CommandPath())
		}
	}
	if len(have) == 0 || len(have) > mostMeant {
		return ""
	}
	return text.And(have) + text.Verb(len(have), " has it", " have it")
}
