package yamlfile_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each reader takes what it is for, and says of anything else what would be right.
func TestReadersSayWhatWouldBeRight(t *testing.T) {
	text, name := func(v yamlfile.Value) any { return v.Text() }, func(v yamlfile.Value) any { return v.Name() }
	truth, share := func(v yamlfile.Value) any { return v.Bool() }, func(v yamlfile.Value) any { return v.Share() }
	whole := func(v yamlfile.Value) any { return v.Int(1, 8) }
	colour := func(v yamlfile.Value) any { return v.Word("red", "green") }
	quota := func(v yamlfile.Value) any { return v.QuotaPath() }
	for _, c := range []struct {
		yaml string
		read func(yamlfile.Value) any
		want any
		says string // "": nothing is wrong
	}{
		{"oak", text, "oak", ""},
		{"12", text, "", `f:1: x is "12", which YAML reads as int; put it in quotes`},
		{"[a]", text, "", "f:1: x is a list; write a text"},
		{"a b", name, "", `f:1: x is "a b"; a name has no spaces, slashes and control characters`},
		{"yes", truth, false, `f:1: x is "yes"; write true or false`},
		{"true", truth, true, ""},
		{"8", whole, 8, ""},
		{"9", whole, 1, "f:1: x is 9; write a whole number from 1 to 8"},
		{"1.5", whole, 1, "f:1: x is 1.5; write a whole number: nothing here comes in fractions"},
		{"99999999999999999999", whole, 1, "f:1: x is 99999999999999999999; write a whole number in plain digits, not larger than 9223372036854775807"},
		{"0.125", share, fleet.Permille(125), ""},
		{"2", share, fleet.Permille(0), "f:1: x is 2; write a number between 0 and 1, as in 0.15"},
		{"green", colour, "green", ""},
		{"3", colour, "", `f:1: x is "3", which YAML reads as int; put it in quotes`},
		{"a/b/a", quota, "", `f:1: x is "a/b/a": "a" would stand under itself; name every part of a path once`},
	} {
		d, top := yamlfile.Open("f", []byte("x: "+c.yaml+"\n"))
		got, says := c.read(top.Fields("x").At("x")), ""
		if err := d.Err(); err != nil {
			says = err.Error()
		}
		if got != c.want || says != c.says {
			t.Errorf("%s: %v, %q; want %v, %q", c.yaml, got, says, c.want, c.says)
		}
	}
}
