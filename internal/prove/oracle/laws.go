package oracle

import "fmt"

// Law is one rule of the contract, as it can be seen from outside.
type Law struct {
	Name string
	Says string // the rule, with its section
	Look func(m Moment) []string
}

// Breach is a law that did not hold.
type Breach struct {
	Law  Law
	At   string // how long after the story's start
	Text string
}

func (b Breach) String() string {
	return fmt.Sprintf("%s at %s: %s (%s)", b.Law.Name, b.At, b.Text, b.Law.Says)
}

// Laws lists all of them.
func Laws() []Law {
	var all []Law
	for _, group := range [][]Law{figureLaws, backingLaws, standingLaws, evictionLaws, waitingLaws, growthLaws, mendingLaws, reasonLaws, tightLaws} {
		all = append(all, group...)
	}
	return all
}

// said collects what is wrong.
type said []string

func (s *said) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// eachPart looks at every partition after the record.
func eachPart(look func(m Moment, p *Part, s *said)) func(Moment) []string {
	return func(m Moment) []string {
		var s said
		for _, p := range m.After.Parts {
			look(m, p, &s)
		}
		return s
	}
}
