package health

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Bounds of what is taken at once, and of what a signal may say.
const (
	MaxSignals  = 20_000
	MaxName     = 253
	MaxMessage  = 4096
	keptMessage = 200
	maxEntities = 64
	maxCodes    = 16
	// Skew is how far a monitor's clock may be ahead of ours.
	Skew = time.Minute
)

// Gathered is what of a batch is news.
type Gathered struct {
	Sightings []fleet.Sighting
	Taken     int // signals in them
	Known     int // signals that came before, or say what was known
}

// Gather sorts a batch of signals into what is news and what is known. The error
// names the first signal that cannot be taken, and then none is.
func Gather(s *fleet.State, signals []fleet.Signal, now fleet.Instant) (Gathered, error) {
	if len(signals) > MaxSignals {
		return Gathered{}, fmt.Errorf("a batch has %s; at most %d are allowed", text.Count(len(signals), "signal"), MaxSignals)
	}
	g := gatherer{state: s, now: now, groups: map[string]int{}, sent: map[uint64]bool{}}
	for i := range signals {
		if err := g.take(&signals[i]); err != nil {
			if len(signals) > 1 {
				err = fmt.Errorf("signal %d of %d: %w", i+1, len(signals), err)
			}
			return Gathered{}, err
		}
	}
	for i := range g.Sightings {
		inOrder(g.Sightings[i].Seen)
	}
	return g.Gathered, nil
}

// gatherer is a batch on its way.
type gatherer struct {
	Gathered
	state  *fleet.State
	now    fleet.Instant
	groups map[string]int  // place in Sightings, by what they say
	sent   map[uint64]bool // identities in this batch
	key    []byte
}

func (g *gatherer) take(x *fleet.Signal) error {
	if err := check(x, g.now); err != nil {
		return err
	}
	p, node := g.state.FindNode(x.Node)
	if p == nil {
		return fmt.Errorf("there is no node %q", clip(x.Node))
	}
	if err := checkParts(x, p.Nodes[node]); err != nil {
		return err
	}
	sight := fleet.Sight{ID: fleet.SightID(x.Agent, x.Node+"/"+identity(x)), At: min(x.At, g.now)}
	says := sightingOf(x)
	if g.sent[sight.ID] || p.Nodes[node].Known(says, sight) {
		g.Known++
		return nil
	}
	g.sent[sight.ID] = true
	g.Taken++
	g.join(says, sight)
	return nil
}

// join puts a signal to those that say the same. Of one group more than the node
// will remember need not be kept: the latest are.
func (g *gatherer) join(says fleet.Sighting, sight fleet.Sight) {
	g.key = appendKey(g.key[:0], &says)
	at, ok := g.groups[string(g.key)]
	if !ok {
		at = len(g.Sightings)
		g.groups[string(g.key)] = at
		g.Sightings = append(g.Sightings, says)
	}
	group := &g.Sightings[at]
	group.Seen = append(group.Seen, sight)
	if len(group.Seen) >= 4*fleet.SightMemory {
		inOrder(group.Seen)
		group.Seen = slices.Delete(group.Seen, 0, len(group.Seen)-fleet.SightMemory)
	}
}

func inOrder(seen []fleet.Sight) {
	slices.SortFunc(seen, func(a, b fleet.Sight) int {
		if a.At != b.At {
			return cmpInstant(a.At, b.At)
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}

func cmpInstant(a, b fleet.Instant) int {
	if a < b {
		return -1
	}
	return 1
}

// appendKey writes what a sighting says, except for its message and moments.
func appendKey(key []byte, s *fleet.Sighting) []byte {
	for _, text := range []string{s.Node, s.Agent, s.Check, s.Component, s.Action} {
		key = append(append(key, text...), 0)
	}
	for _, e := range s.Entities {
		key = append(append(append(append(key, e.Type...), ' '), e.Value...), 0)
	}
	key = append(key, 1)
	for _, c := range s.Codes {
		key = append(append(key, c...), 0)
	}
	for _, is := range []bool{s.Fatal, s.Well, s.StoreOnly} {
		if is {
			key = append(key, '1')
		} else {
			key = append(key, '0')
		}
	}
	return key
}

func sightingOf(x *fleet.Signal) fleet.Sighting {
	s := fleet.Sighting{
		Node: x.Node, Agent: x.Agent, Check: x.Check, Component: x.Component,
		Entities: x.Entities, Codes: x.Codes, Fatal: x.Fatal && !x.Well, Well: x.Well, StoreOnly: x.StoreOnly,
		Action: x.Action, Message: short(x.Message),
	}
	if len(s.Entities) > 1 {
		s.Entities = slices.Clone(s.Entities)
		slices.SortFunc(s.Entities, func(a, b fleet.Entity) int { return strings.Compare(a.String(), b.String()) })
		s.Entities = slices.Compact(s.Entities)
	}
	if len(s.Codes) > 1 {
		s.Codes = slices.Compact(slices.Sorted(slices.Values(s.Codes)))
	}
	return s
}

// identity is the monitor's name for a signal; one without a name is the same as
// another that says the same at the same moment.
func identity(x *fleet.Signal) string {
	if x.ID != "" {
		return x.ID
	}
	return fmt.Sprintf("%s|%s|%s|%s|%t|%d", x.Node, x.Check, fleet.EntityKey(x.Entities), strings.Join(x.Codes, ","), x.Well, x.At)
}

func check(x *fleet.Signal, now fleet.Instant) error {
	switch {
	case x.Node == "":
		return fmt.Errorf("it names no node")
	case x.Agent == "" || x.Check == "":
		return fmt.Errorf("node %q: it names no agent or no check; who saw what is needed", clip(x.Node))
	case x.At <= 0:
		return fmt.Errorf("node %q: it has no time; say when it was seen", clip(x.Node))
	case x.At > now.Add(Skew):
		return fmt.Errorf("node %q: it was seen at %s, which is in the future: now is %s; look at the monitor's clock",
			clip(x.Node), text.Weekday(x.At.Time()), text.Weekday(now.Time()))
	case len(x.Entities) > maxEntities || len(x.Codes) > maxCodes:
		return fmt.Errorf("node %q: %d entities and %d codes; at most %d and %d are possible",
			clip(x.Node), len(x.Entities), len(x.Codes), maxEntities, maxCodes)
	case len(x.Message) > MaxMessage:
		return fmt.Errorf("node %q: a message of %d characters; at most %d are possible", clip(x.Node), len(x.Message), MaxMessage)
	}
	return checkTexts(x)
}

func checkTexts(x *fleet.Signal) error {
	for _, text := range []string{x.ID, x.Agent, x.Component, x.Check, x.Action} {
		if err := checkText(x, text); err != nil {
			return err
		}
	}
	for _, e := range x.Entities {
		if err := checkText(x, e.Type); err != nil {
			return err
		}
		if err := checkText(x, e.Value); err != nil {
			return err
		}
	}
	for _, c := range x.Codes {
		if err := checkText(x, c); err != nil {
			return err
		}
	}
	if !utf8.ValidString(x.Message) {
		return fmt.Errorf("node %q: the message holds bytes that are no valid UTF-8 text", clip(x.Node))
	}
	return nil
}

func checkText(x *fleet.Signal, text string) error {
	if len(text) > MaxName || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Errorf("node %q: %q is no name of at most %d characters", clip(x.Node), clip(text), MaxName)
	}
	return nil
}

func clip(s string) string { return text.Clip(s, text.Quoted) }

// short keeps the beginning of a message.
func short(s string) string {
	return text.Bound(s, keptMessage)
}
