package api

import "testing"

// What is beyond a bound is told in plain words, with the bound.
func TestABoundIsToldInWords(t *testing.T) {
	for _, c := range []struct{ rule, message, want string }{
		{"int32.gte_lte", "value must be greater than or equal to 0 and less than or equal to 64000000", "is out of range; write a number from 0 to 64000000"},
		{"double.gte_lte", "value must be greater than or equal to 0.5 and less than or equal to 1", "is out of range; write a number from 0.5 to 1"},
		{"int32.gte", "value must be greater than or equal to 1", "is too small; write a number from 1"},
		{"string.max_len", "value length must be at most 200 characters", "is too long; write at most 200 characters"},
		{"string.min_len", "value length must be at least 1 characters", "is empty"},
		{"repeated.max_items", "value must contain no more than 100 item(s)", "has too many entries; name at most 100"},
		{"repeated.min_items", "value must contain at least 1 item(s)", "is empty; name at least 1"},
		{"required", "value is required", "is missing"},
		{"string.other", "value must rhyme", "value must rhyme"},
	} {
		if got := boundInWords(c.rule, c.message); got != c.want {
			t.Errorf("%s: %q, should be %q", c.rule, got, c.want)
		}
	}
}
