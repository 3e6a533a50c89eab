package cli

import (
	"fmt"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/muster-fleet/muster/internal/answer/words"
)

// searching is the flag of questions whose answer is searched for.
type searching struct{ search span }

func (o *searching) flags(f *pflag.FlagSet, usual string) {
	f.Var(&o.search, "search", "search for so long, at most 30s; it ends early if others wait for the server ("+usual+")")
}

// searchLonger says which command searches on where not all was looked at.
func (p *page) searchLonger(longer *durationpb.Duration, command ...string) {
	if longer == nil {
		p.say("It was searched for as long as may be.")
		return
	}
	p.wrapAs("", fmt.Sprintf("Search longer: %s", words.Shell(append(command, "--search", words.Duration(longer.AsDuration()))...)))
}
