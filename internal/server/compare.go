package server

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/config"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// compare holds a fleet, as the API tells it, against a fleet file.
func compare(f *musterv1.GetFleetResponse, quotas []*musterv1.Quota, file config.File) (cli.Comparison, error) {
	var c cli.Comparison
	state, err := wire.ReadState(f, quotas)
	if err != nil {
		return c, err
	}
	_, list := config.Diff(state, file)
	for _, d := range list {
		at := -1
		if d.Command != nil {
			change, err := wire.Change(d.Command)
			if err != nil {
				return c, err
			}
			at = len(c.Changes)
			c.Changes = append(c.Changes, change)
		}
		c.Differences = append(c.Differences, cli.Difference{Kind: string(d.Kind), Text: d.Text, Line: d.Line, Change: at})
	}
	return c, nil
}
