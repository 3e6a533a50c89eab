package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
