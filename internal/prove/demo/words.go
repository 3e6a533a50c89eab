package demo

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Welcome says what runs, what to type next, and what one will see. first are
// lines to type before, so that the commands are found and reach this server.
func Welcome(first ...string) string {
	lines := []struct{ command, sees string }{
		{"muster capacity", "what can be promised, what is, and what is flex"},
		{"muster quota list", "each quota: granted, backed by healthy nodes now, used"},
		{"muster job list", "the work that runs, how it holds its GPUs, the work that waits"},
		{"muster why " + MoonshotNamespace + "/" + Moonshot, "a gang larger than any island: what would help"},
		{"muster job list --waiting", "the others that wait; ask muster why about any"},
		{"muster health --watch", "nodes by state and cause, what automation does and what waits"},
		{"muster events --watch", "everything as it happens, decisions and reasons"},
		{"muster promise; muster report health", "what was promised and kept, and what failed, in the weeks before"},
		{"muster rollout list; muster nfz show launch", "an update that rolls out, and what a no-fly zone keeps back"},
		{"muster capacity flex --watch", "namespaces sharing what quota leaves unused"},
		{"muster submit --name hello --target flex --gang 1x8", "a workload of your own; it runs for 10 minutes"},
	}
	var b strings.Builder
	b.WriteString(`A demo fleet is running: 112 nodes in 2 clusters, 3 partitions and 8 islands; 8 quotas in 3 trees; 14 teams, six
of them on flex. It is made up, but a second is a second. So that you see something within a minute, workloads
run for 1 to 20 minutes, and nodes fail two thousand times as often as real ones and are repaired in minutes.
A new one has six calmer weeks behind it, decided by the same engine: work ran for days and nodes failed rarely.

In another terminal, try:

`)
	for _, line := range first {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-52s %s\n", l.command, l.sees)
	}
	return b.String()
}

// Summary says in one line how the fleet is.
func Summary(s *fleet.State) string {
	f := view.CapacityOf(s).Fleet
	out, states := 0, map[fleet.WorkloadState]int{}
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			if !n.State.Usable() {
				out++
			}
		}
	}
	for _, w := range s.Workloads {
		states[w.State]++
	}
	kept := "all grants backed"
	switch broken := gangless(s); {
	case f.Unbacked > 0 && broken > 0:
		kept = fmt.Sprintf("%d of %d GPUs granted are unbacked, grants that cannot be used in one piece: %d", f.Unbacked, f.Assigned, broken)
	case f.Unbacked > 0:
		kept = fmt.Sprintf("%d of %d GPUs granted are unbacked", f.Unbacked, f.Assigned)
	case broken == 1:
		kept = "1 grant cannot be used in one piece"
	case broken > 1:
		kept = fmt.Sprintf("%d grants cannot be used in one piece", broken)
	}
	return fmt.Sprintf("%d running, %d waiting · quota %d of %d GPUs · flex %d of %d · %d nodes out · %s",
		states[fleet.RunningW]+states[fleet.Mending], states[fleet.Pending]+states[fleet.Starting],
		f.Scheduled+f.Borrowed+f.Over, f.Backed, f.FlexUsed, f.Flex, out, kept)
}

// gangless counts the declared gangs that no island backs whole.
func gangless(s *fleet.State) (n int) {
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			if a.GangMissing > 0 {
				n++
			}
		}
	}
	return n
}
