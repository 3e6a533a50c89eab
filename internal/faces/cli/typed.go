package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// otherwise are the fields whose flags bear another word than they.
var otherwise = map[string][]string{
	"kinds": {"kind"}, "states": {"state"}, "pools": {"pool", "gang"}, "names": {"name"},
	"scope": {"scope", "partition"}, "quota": {"quota", "target"},
	"blocks": {"block"}, "gpus": {"gpu"}, "nodes": {"node"}, "updates": {"update"},
}

// index is the place in a list, as in kinds[0].
var index = regexp.MustCompile(`\[\d+\]`)

// typed gives what is wrong with a field of a message the place where people
// wrote it: the flag. Fields that no flag of this command line said keep their names.
func typed(cmd *cobra.Command, err error) error {
	var r *client.Refusal
	if cmd == nil || !errors.As(err, &r) {
		return err
	}
	for _, f := range r.Fields {
		if flag := flagOf(cmd, f); flag != "" {
			f.Field = "--" + flag
		}
	}
	return err
}

func flagOf(cmd *cobra.Command, f *musterv1.FieldViolation) string {
	path := index.ReplaceAllString(f.GetField(), "")
	for _, whole := range []string{"spec.", "write.", "zone.", "update.", "notice."} {
		path = strings.TrimPrefix(path, whole)
	}
	head, _, _ := strings.Cut(path, ".")
	for _, name := range append([]string{strings.ReplaceAll(head, "_", "-")}, otherwise[head]...) {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}
