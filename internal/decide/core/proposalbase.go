package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says what a proposal rests on, and whether that is another thing since.

// MovedOn says whether the policy in force is another one than a proposal of a policy was made under, or the plan of a
// wave another one than it was made from.
func MovedOn(s *fleet.State, p *fleet.Proposal) bool {
	c, ok := Proposed(p)
	return ok && movedOnSince(s, p, c) != nil
}

// base is what a whole policy would take the place of.
func base(s *fleet.State, c Command) string {
	var is any
	switch c.(type) {
	case SetPolicy:
		is = s.Policy
	case SetHealthPolicy:
		is = s.Health
	default:
		return ""
	}
	data, err := json.Marshal(is)
	if err != nil {
		panic(err) // every field of the state can be encoded
	}
	return string(data)
}

// says is what a command would do, in words.
func says(s *fleet.State, c Command) string {
	switch c := c.(type) {
	case SetPolicy:
		return "set the policy: " + strings.Join(differing(s.Policy, c.Policy), ", ")
	case SetBuffer:
		if c.Buffer == (fleet.Buffer{}) {
			return "take away the buffer policy of " + c.Scope
		}
		return fmt.Sprintf("set the buffer of %s to %s", c.Scope, c.Buffer.InFull())
	case SetHealthPolicy:
		return "set the health policy"
	case SetMode:
		return fmt.Sprintf("put cluster %s into mode %s", c.Cluster, c.Mode)
	case SetGrant:
		if c.Until != 0 {
			return fmt.Sprintf("grant %s %s more of %s until %s", c.Quota, text.Count(c.GPUs, "GPU"), c.Partition, momentText(c.Until))
		}
		return fmt.Sprintf("grant %s %s of %s", c.Quota, text.Count(c.GPUs, "GPU"), c.Partition)
	case ApplyHaircut:
		return "apply a wave of haircut " + c.Name
	case UndoHaircut:
		return "undo a wave of haircut " + c.Name
	}
	return ""
}

// differing are the settings in which two policies differ, by their names.
func differing(is, want fleet.Policy) (names []string) {
	var a, b map[string]json.RawMessage
	for _, one := range []struct {
		from fleet.Policy
		into *map[string]json.RawMessage
	}{{is, &a}, {want, &b}} {
		data, err := json.Marshal(one.from)
		if err == nil {
			err = json.Unmarshal(data, one.into)
		}
		if err != nil {
			panic(err) // every field of the state can be encoded
		}
	}
	for name := range b {
		if string(a[name]) != string(b[name]) {
			names = append(names, name)
		}
	}
	for name := range a {
		if b[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// movedOnSince refuses a policy that was made from another one than there is now: it would
// take back what others decided meanwhile. And a wave of a plan that took the place of the one that was proposed.
func movedOnSince(s *fleet.State, p *fleet.Proposal, c Command) *Refusal {
	if plannedAnew(s, p, c) {
		return refuse(Stale, "the haircut was planned anew since proposal %d was made: %s proposes it anew, and another person declines this one", p.ID, p.By)
	}
	if base(s, c) != p.Base {
		return refuse(Stale, "the policy has changed since proposal %d was made: %s proposes it anew, and another person declines this one", p.ID, p.By)
	}
	return nil
}

// plannedAnew says whether the haircut that a proposal is about was deleted and planned anew under its name since.
func plannedAnew(s *fleet.State, p *fleet.Proposal, c Command) bool {
	name := ""
	switch c := c.(type) {
	case ApplyHaircut:
		name = c.Name
	case UndoHaircut:
		name = c.Name
	}
	h := s.Haircut(name)
	return h != nil && h.Made > p.At
}
