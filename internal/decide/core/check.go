package core

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// clip shortens a text from outside, so that a message stays a message.
func clip(s string) string { return text.Clip(s, text.Quoted) }

func checkName(what, name string) *Refusal {
	switch {
	case !utf8.ValidString(name):
		return refuse(Invalid, "the name of a %s is no valid UTF-8 text", what)
	case name == "":
		return refuse(Invalid, "a %s has no name", what)
	case len(name) > MaxName:
		return refuse(Invalid, "the name of a %s has %d bytes; at most %d are allowed", what, len(name), MaxName)
	}
	for _, r := range name {
		if r <= ' ' || r == '/' || r == 0x7f {
			return refuse(Invalid, "%s %q has a space, a slash or a control character in its name", what, clip(name))
		}
	}
	return nil
}

// checkTexts refuses texts that are no valid UTF-8, or longer than anyone
// writes: the log would keep another text than the state.
func checkTexts(what string, texts ...string) *Refusal {
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return refuse(Invalid, "%s holds bytes that are no valid UTF-8 text", what)
		}
		if len(t) > MaxText {
			return refuse(Invalid, "%s has %d bytes; at most %d are allowed", what, len(t), MaxText)
		}
	}
	return nil
}

// checkAccess refuses an access list whose entries are no texts, or name no one.
func checkAccess(a fleet.Access) *Refusal {
	for _, list := range [][]string{a.Users, a.Groups, a.Namespaces} {
		if refusal := checkTexts("an access list", list...); refusal != nil {
			return refusal
		}
		if slices.ContainsFunc(list, func(name string) bool { return strings.TrimSpace(name) == "" }) {
			return refuse(Invalid, "an access list has a blank name; leave it out. A quota without an access list is open to everyone, or closed where people sign in")
		}
	}
	return nil
}

func checkPath(path string) *Refusal {
	if len(path) > MaxName {
		return refuse(Invalid, "a quota path has %d bytes; at most %d are allowed", len(path), MaxName)
	}
	if fleet.TreeOf(path) == fleet.Flex {
		return refuse(Invalid, "%q is the word for flex; choose another name for a quota", path)
	}
	for _, part := range strings.Split(path, "/") {
		if part == "." || part == ".." {
			return refuse(Invalid, "quota path %q: %q is no name of a quota; choose another", clip(path), part)
		}
		if refusal := checkName("quota", part); refusal != nil {
			return refuse(Invalid, "quota path %q: %s", clip(path), refusal.Message)
		}
	}
	return nil
}

func checkSpec(s fleet.Spec) *Refusal {
	if refusal := checkName("workload", s.Name); refusal != nil {
		return refusal
	}
	if refusal := checkName("namespace", s.Namespace); refusal != nil {
		return refusal
	}
	if refusal := checkTexts("the submitter", append([]string{s.User, s.Author, s.Target, s.Partition}, s.Groups...)...); refusal != nil {
		return refusal
	}
	switch {
	case s.Priority < fleet.Critical || s.Priority > fleet.Low:
		return refuse(Invalid, "unknown priority %v", s.Priority)
	case s.MaxRuntime < 0 || s.CheckpointEvery < 0 || s.Grace < 0 || s.BearsFreeze < 0:
		return refuse(Invalid, "a duration is negative; durations are zero or more")
	case len(s.Pools) == 0 || len(s.Pools) > MaxPools:
		return refuse(Invalid, "a workload has 1 to %d pools, not %d", MaxPools, len(s.Pools))
	}
	for _, p := range s.Pools {
		if refusal := checkPool(p); refusal != nil {
			return refusal
		}
	}
	if name, found := twice(s.Pools, func(p fleet.Pool) string { return p.Name }); found {
		return refuse(NameTaken, "two pools are named %q", name)
	}
	return nil
}

// twice finds the first name of a list that stands in it again.
func twice[T any](list []T, nameOf func(T) string) (name string, found bool) {
	seen := map[string]bool{}
	for _, x := range list {
		if name = nameOf(x); seen[name] {
			return name, true
		}
		seen[name] = true
	}
	return "", false
}

func checkPool(p fleet.Pool) *Refusal {
	if refusal := checkName("pool", p.Name); refusal != nil {
		return refusal
	}
	switch {
	case p.GPUs < 1 || p.GPUs > MaxGPUsPerNode:
		return refuse(Invalid, "pool %q: %s per replica; 1 to %d are possible", p.Name, text.Count(p.GPUs, "GPU"), MaxGPUsPerNode)
	case p.Min < 1 || p.Max < p.Min || p.Max > MaxReplicas:
		return refuse(Invalid, "pool %q: %d to %d replicas; it must be 1 or more, min at most max, and at most %d", p.Name, p.Min, p.Max, MaxReplicas)
	case !p.Elastic && p.Min != p.Max:
		return refuse(Invalid, "pool %q: a gang has as many replicas at least as at most", p.Name)
	case p.Rank < 0 || p.Rank > 1000:
		return refuse(Invalid, "pool %q: rank %d; 0 to 1000 are possible", p.Name, p.Rank)
	case p.Reach != fleet.ReachRack && p.Reach != fleet.ReachIsland && p.Reach != fleet.ReachAny:
		return refuse(Invalid, "pool %q: reach %q is not one of rack, island, any", p.Name, p.Reach)
	}
	return nil
}
