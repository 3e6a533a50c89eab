package core

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// mostNodesSearched is among how many nodes one with a near name is looked for: all else waits for the search.
const mostNodesSearched = 20_000

// MeantNode says which nodes may be meant by a name that none has, for the end of a message, or where all stand.
func MeantNode(s *fleet.State, name string) string {
	names := nodeNames(s)
	for _, stem := range []string{name + "-", strings.TrimRight(name, "0123456789.")} {
		if first, last := between(names, stem); first != "" {
			return fmt.Sprintf("names that begin with %q go from %s to %s", clip(stem), first, last)
		}
	}
	if near := text.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "muster node list shows those there are"
}

// nodeNames are the names of all nodes; none of a fleet that is too large to be searched.
func nodeNames(s *fleet.State) (names []string) {
	for _, p := range s.Partitions {
		for i := range p.Nodes {
			names = append(names, p.Nodes[i].Name)
		}
	}
	if len(names) > mostNodesSearched {
		return nil
	}
	return names
}

// between are the first and the last name that begin with a stem; "": none, or the stem says too little.
func between(names []string, stem string) (first, last string) {
	const tells = 4 // letters
	for _, n := range names {
		if len(stem) < tells || !strings.HasPrefix(n, stem) {
			continue
		}
		if first == "" || n < first {
			first = n
		}
		last = max(last, n)
	}
	return first, last
}
