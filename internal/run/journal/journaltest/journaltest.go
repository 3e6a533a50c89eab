package journaltest

import (
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Fresh makes a new, empty log and returns the door to it: every call of the
// door opens another handle on that same log, as another process would. The
// suite closes the handles it opens.
type Fresh func(t *testing.T) (open func() journal.Journal)

// Run runs the whole suite, each case on a log of its own.
func Run(t *testing.T, fresh Fresh) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, newLog(t, fresh)) })
	}
}

var cases = []struct {
	name string
	run  func(*testing.T, *log)
}{
	{"an empty log is empty", emptyLog},
	{"what was appended is read back", appendAndRead},
	{"odd entries survive: empty, large, binary, any moment", oddEntries},
	{"appending nothing does nothing", appendNothing},
	{"the caller may reuse what it appended", callerReusesSlices},
	{"a gap, a repeat or a zero is refused whole", wrongNumbers},
	{"a done context keeps an append from beginning", appendDoneContext},
	{"groups of every size stay whole", groupsOfEverySize},

	{"reading starts where asked", readFrom},
	{"a reader may stop", readStops},
	{"a reader may call the journal", readCallsJournal},
	{"a done context ends a read", readDoneContext},
	{"long logs are read in order", readLong},

	{"SeqAt finds the last entry up to a moment", seqAt},
	{"SeqAt is right where time stands still or steps back", seqAtBackwards},

	{"snapshots are found by sequence number", snapshots},
	{"a snapshot of what is not in the log is refused", snapshotAhead},
	{"many snapshots thin out, the newest stay", snapshotsThin},
	{"the caller may reuse what it saved", snapshotReusesSlice},

	{"a trimmed log has what is kept, and says what is not", trim},
	{"a log keeps one entry at least", trimTooFar},
	{"a trimmed log finds moments where time steps back", trimmedTime},
	{"an empty log begins where another does", begun},
	{"appends and reads go on beside a trim", trimBeside},

	{"a log outlives its handle", reopen},
	{"a second writer is fenced", fence},
	{"many writers never merge", manyWriters},
	{"reads and snapshots go on beside appends", concurrency},
	{"a closed handle says so", closed},
}
