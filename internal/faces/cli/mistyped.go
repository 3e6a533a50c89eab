package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

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
