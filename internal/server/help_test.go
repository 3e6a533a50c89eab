package server

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

// mostOfHelp is the width of help, in columns.
const mostOfHelp = 100

// All help fits into a terminal.
func TestAllHelpFits(t *testing.T) {
	var out bytes.Buffer
	env := &cli.Env{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: func(string) string { return "" }, Now: time.Now}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		out.Reset()
		_ = cmd.Help()
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > mostOfHelp {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(program(env).Root())
}
