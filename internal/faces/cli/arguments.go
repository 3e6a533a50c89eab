package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

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
