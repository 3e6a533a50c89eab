package cli

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A record has a line for each of its events: the note under them says how many there are of both.
func TestEventsCountRecordsAndLines(t *testing.T) {
	two := []*musterv1.Record{{}, {}}
	for _, one := range []struct {
		res   *musterv1.ListEventsResponse
		lines int
		want  string
	}{
		{&musterv1.ListEventsResponse{Records: two, Earlier: true}, 5, "the last 2 records (5 lines, one for each event);"},
		{&musterv1.ListEventsResponse{Records: two, Earlier: true}, 2, "the last 2 records;"},
		{&musterv1.ListEventsResponse{Records: two[:1], Earlier: true}, 3, "the last record (3 lines, one for each event);"},
		{&musterv1.ListEventsResponse{Records: two, Next: 9}, 5, "more than these 2 records (5 lines, one for each event);"},
	} {
		if got := unseen(one.res, one.lines); !strings.Contains(got, one.want) {
			t.Errorf("it says %q, and not %q", got, one.want)
		}
	}
}
