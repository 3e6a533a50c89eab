package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// otherwise are the fields whose flags bear another word than they.
var otherwise = map[string][]string{
	"kinds": {"kind"}, "states": {"state"}, "pools": {"pool", "gang"}, "names": {"name"},
	"scope": {"scope", "partition"}, "quota": {"quota", "target"},
	"name": {"save"}, "blocks": {"block"}, "gpus": {"gpu"}, "nodes": {"node"}, "updates": {"update"},
}

// index is the place in a list, as in kinds[0].
var index = regexp.MustCompile(`\[\d+\]`)

// typed gives what is wrong with a field of a message the place where people
// write it: the flag, or the argument. Fields that this command line has no place for keep their names.
func typed(cmd *cobra.Command, err error) error {
	var r *client.Refusal
	if cmd == nil || !errors.As(err, &r) {
		return err
	}
	for _, f := range r.Fields {
		if place := placeOf(cmd, f); place != "" {
			f.Field = place
		}
	}
	return err
}

// placeOf is where a field is written on this command line: a flag that was given, an argument, or a flag that was
// left out; "": none of these.
func placeOf(cmd *cobra.Command, f *musterv1.FieldViolation) string {
	head, names := namesOf(f)
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return "--" + name
		}
	}
	for _, word := range append([]string{strings.ToUpper(head)}, arguments[head]...) {
		if slices.ContainsFunc(strings.Fields(cmd.Use), func(s string) bool { return strings.Trim(s, "[].") == word }) {
			return word
		}
	}
	for _, name := range names {
		if cmd.LocalNonPersistentFlags().Lookup(name) != nil {
			return "--" + name
		}
	}
	return ""
}

// arguments are the fields whose arguments bear another word than they.
var arguments = map[string][]string{"path": {"QUOTA"}, "names": {"NODE"}, "name": {"CLUSTER"}, "scope": {"CLUSTER"}}

// namesOf are the flags that a field may have been given by.
func namesOf(f *musterv1.FieldViolation) (head string, names []string) {
	path := index.ReplaceAllString(f.GetField(), "")
	for _, whole := range []string{"spec.", "ask.", "write.", "zone.", "update.", "notice.", "record.", "binding."} {
		path = strings.TrimPrefix(path, whole)
	}
	head, _, _ = strings.Cut(path, ".")
	return head, append([]string{strings.ReplaceAll(head, "_", "-")}, otherwise[head]...)
}
