package journal

import (
	"strings"
	"testing"
)

func TestErrorsNamePlaceAndRemedy(t *testing.T) {
	cases := []struct {
		err  error
		want []string
	}{
		{&FencedError{Next: 8, Got: 7}, []string{"entry 7", "next is 8", "another writer", "nothing was written"}},
		{
			&CorruptError{Path: "fleet.db", Seq: 12, Offset: 4096, Good: 11, Why: "the checksum is wrong"},
			[]string{"fleet.db", "entry 12", "byte 4096", "checksum", "up to 11 are good"},
		},
		{&CorruptError{Seq: 1, Offset: -1, Why: "gone"}, []string{"entry 1: gone", "no entry before it is good"}},
		{&CorruptError{Good: 7, Offset: -1, Why: "its format is lost"}, []string{"journal: damaged: its format", "up to 7 are good"}},
		{&VersionError{Path: "fleet.db", Found: 3, Known: 1}, []string{"fleet.db", "format 3", "up to 1", "use the newer version"}},
	}
	for _, c := range cases {
		for _, part := range c.want {
			if !strings.Contains(c.err.Error(), part) {
				t.Errorf("%T says %q, which lacks %q", c.err, c.err, part)
			}
		}
	}
}
