package memory_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/journaltest"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
)

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(*testing.T) func() journal.Journal {
		first := memory.New()
		return func() journal.Journal { return first.Reopen() }
	})
}
