package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Commands ask where, or for which quota, by their first argument or by a flag. Who has learnt the flag of one
// need not know which of its siblings take an argument: those take both.

// argumentFlags are the flags that stand for a first argument, by how the usage line begins it.
var argumentFlags = []struct {
	begins *regexp.Regexp
	flags  []string
}{
	{regexp.MustCompile(`^[a-z]+ \[CLUSTER \|`), []string{"cluster", "partition"}},
	{regexp.MustCompile(`^[a-z]+ \[CLUSTER\]|^ready CLUSTER`), []string{"cluster"}},
	{regexp.MustCompile(`^[a-z]+ \[QUOTA\]|^[a-z]+ \[QUOTA \|`), []string{"quota"}},
}

// takeArgumentFlags lets a command and those below it take their first argument by the flags of their siblings, too.
func takeArgumentFlags(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		takeArgumentFlags(below)
	}
	for _, a := range argumentFlags {
		if a.begins.MatchString(cmd.Use) && cmd.RunE != nil {
			takeFlags(cmd, slices.DeleteFunc(slices.Clone(a.flags), func(name string) bool { return cmd.Flags().Lookup(name) != nil }))
		}
	}
}

// takeFlags adds hidden flags to a command, each of which stands for its first argument.
func takeFlags(cmd *cobra.Command, names []string) {
	for _, name := range names {
		cmd.Flags().String(name, "", "the same as the argument")
		_ = cmd.Flags().MarkHidden(name)
	}
	check, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		args, err := withFlags(cmd, names, args)
		if err != nil || check == nil {
			return err
		}
		return check(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		args, err := withFlags(cmd, names, args)
		if err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// withFlags is the arguments of a command with what its flags say in place of the first.
func withFlags(cmd *cobra.Command, names, args []string) ([]string, error) {
	is, by := "", ""
	for _, name := range names {
		value := cmd.Flags().Lookup(name).Value.String()
		switch {
		case value == "":
			continue
		case name == "partition" && is != "" && !strings.Contains(value, "/"):
			value = is + "/" + value // --cluster tiger --partition h200
		case name == "partition" && is != "" && !strings.HasPrefix(value, is+"/"):
			return nil, usage("partition %.80s is not in cluster %.80s; name one of them", value, is)
		}
		is, by = value, name
	}
	if is == "" {
		return args, nil
	}
	if len(args) > 0 {
		return nil, usage("%s takes %.80q or --%s, and was given both", cmd.CommandPath(), args[0], by)
	}
	return []string{is}, nil
}
