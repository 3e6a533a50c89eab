package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// siblingFlags are the flags by which other commands ask for what a flag of this name asks for.
var siblingFlags = map[string][]string{
	"ended":     {"all"},
	"finished":  {"all"},
	"partition": {"scope"},
	"cluster":   {"scope"},
	"scope":     {"partition", "cluster"},
	"quota":     {"target"},
	"target":    {"quota"},
	"who":       {"user", "by"},
}

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
	for _, other := range siblingFlags[m[1]] {
		if cmd.Flags().Lookup(other) != nil {
			return "did you mean --" + other + "?"
		}
	}
	return ""
}
