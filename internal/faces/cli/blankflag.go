package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// texts are flags that may be blank: they name nothing. A search for any part of a name finds all with none.
var texts = []string{"reason", "note", "message", "who", "token"}

// clears are commands whose flags take away what was said, where they are blank.
var clears = []string{"muster incident update"}

// blankFlag refuses a flag that is given and blank. A script whose variable is empty would leave out what it means to
// name: a quota would be open to everyone, a list would show all.
func blankFlag(cmd *cobra.Command) (err error) {
	if slices.Contains(clears, cmd.CommandPath()) || !slices.Contains([]string{asking, working, changing}, groupOf(cmd)) {
		return nil
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(texts, f.Name) && blank(f.Value) {
			err = usage("--%s is blank; give it a value, or leave it out", f.Name)
		}
	})
	return err
}

// groupOf is the group of the help in which a command stands, or those above it.
func groupOf(cmd *cobra.Command) string {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.GroupID != "" {
			return cmd.GroupID
		}
	}
	return ""
}

// blank says whether a text, or one of a list of texts, says nothing.
func blank(v pflag.Value) bool {
	empty := func(s string) bool { return strings.TrimSpace(s) == "" }
	if list, is := v.(pflag.SliceValue); is {
		return len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), empty)
	}
	return v.Type() == "string" && empty(v.String())
}

// blankArgument refuses an argument that is blank, for the same reason, in the word that the usage line has for it.
func blankArgument(cmd *cobra.Command, args []string) error {
	at := slices.IndexFunc(args, func(s string) bool { return strings.TrimSpace(s) == "" })
	if at < 0 || !slices.Contains([]string{asking, working, changing}, groupOf(cmd)) {
		return nil
	}
	return usage("%s is blank; give it a value: %s %s", argumentAt(cmd, at), cmd.CommandPath(), strings.Join(strings.Fields(cmd.Use)[1:], " "))
}

// argumentAt is the word of the usage line for an argument; the last may stand for several.
func argumentAt(cmd *cobra.Command, at int) string {
	words := strings.Fields(cmd.Use)[1:]
	if len(words) > 0 && at >= len(words) && strings.HasSuffix(words[len(words)-1], "...") {
		at = len(words) - 1
	}
	if at < len(words) && strings.Trim(words[at], "ABCDEFGHIJKLMNOPQRSTUVWXYZ.") == "" {
		return strings.TrimSuffix(words[at], "...")
	}
	return "an argument"
}
