package words

import "testing"

func TestTheFirstOfAQueueMayWaitBehindAnother(t *testing.T) {
	first := []string{"elm/a"}
	for _, c := range []struct{ got, want string }{
		{Turn(0, "flex", first), ""},
		{Turn(1, "flex", nil), ", number 1 of its namespace"},
		{Turn(1, "flex", first), ", number 1 of its namespace, behind elm/a"},
		{Turn(1, "oak", nil), ", number 1 in its queue"},
		{Turn(1, "oak", first), ", number 1 in its queue, behind elm/a"},
		{Turn(2, "flex", first), ", number 2 in its queue"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
