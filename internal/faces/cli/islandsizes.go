package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// islandSizes is a flag of planned islands: NAME:NODES as in sheets and on pages, or NAME=NODES as in other flags.
type islandSizes map[string]int32

// Set takes one island or several, with blanks or commas between them. An island that is said twice is refused: which of
// the two is meant is not known.
func (s *islandSizes) Set(text string) error {
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, nodes, err := islandSize(one)
		if err != nil {
			return err
		}
		if _, twice := (*s)[name]; twice {
			return fmt.Errorf("island %s is said twice", name)
		}
		if *s == nil {
			*s = islandSizes{}
		}
		(*s)[name] = nodes
	}
	return nil
}

func islandSize(text string) (name string, nodes int32, err error) {
	at := strings.IndexAny(text, ":=")
	if at < 1 {
		return "", 0, fmt.Errorf("%q is no island; write NAME:NODES, as in a:16", text)
	}
	is, err := strconv.ParseInt(text[at+1:], 10, 64)
	switch {
	case err != nil:
		return "", 0, fmt.Errorf("%q has no number of nodes; write NAME:NODES, as in a:16", text)
	case is < math.MinInt32 || is > math.MaxInt32:
		return "", 0, fmt.Errorf("%s: no island has so many nodes", text)
	}
	return text[:at], int32(is), nil
}

func (s *islandSizes) String() string { return "" }

// Type is how help names the value.
func (s *islandSizes) Type() string { return "NAME:NODES" }
