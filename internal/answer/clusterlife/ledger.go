package clusterlife

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Ledgers is the ledger of every cloud account that is known or needed, in order of name.
func Ledgers(s *fleet.State, now fleet.Instant) []buildout.Ledger {
	var names []string
	for _, a := range s.Accounts {
		names = append(names, a.Name())
	}
	for _, l := range s.Lives {
		if l.Course.Retired == 0 {
			names = append(names, l.Record.Account())
		}
	}
	slices.Sort(names)
	var list []buildout.Ledger
	for _, name := range slices.Compact(names) {
		list = append(list, core.LedgerOf(s, name, now))
	}
	return list
}
