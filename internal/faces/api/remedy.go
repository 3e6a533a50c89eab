package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says changes in words and as command lines.

func remedy(s *fleet.State, c whatif.Change) *musterv1.Remedy {
	return &musterv1.Remedy{
		Kind: string(c.Kind), Class: string(c.Class), Text: says(c), Commands: commandLines(s, c.Commands),
		Start: wire.Start(c.Start), By: wire.Instant(c.By),
	}
}

// says a change in a few words, with its figures.
func says(c whatif.Change) string {
	switch c.Kind {
	case whatif.Target:
		if c.Quota == fleet.Flex {
			return "target flex"
		}
		return "target " + c.Quota
	case whatif.Partition:
		return "leave the choice of partition open"
	case whatif.Smaller:
		return fmt.Sprintf("%s → %s of %s", text.Group(c.Was), text.Count(c.Now, "replica"), c.Pool)
	case whatif.Reach:
		return "let its gang stand further apart: reach " + string(c.Reach) + anew(c, "muster.dev/reach: "+string(c.Reach))
	case whatif.RunTime:
		return "declare that it runs at most " + words.Duration(c.RunTime) + ", so that it delays no other work" + anew(c, "muster.dev/max-runtime: "+c.RunTime.String())
	case whatif.Priority:
		return "priority " + c.Priority.String()
	case whatif.Reports:
		return "cluster " + strings.Join(c.Names, ", ") + " reports again"
	case whatif.Mode:
		return "cluster " + strings.Join(c.Names, ", ") + " is set to mode enforce" + gated(c)
	case whatif.Nodes:
		return nodesHealthy(c.Names)
	case whatif.Grant:
		return fmt.Sprintf("+%s of quota for %s in %s (%s → %s)", text.Count(c.GPUs, "GPU"), c.Quota, c.Partition, text.Group(c.Was), text.Group(c.Now))
	case whatif.Gang:
		return fmt.Sprintf("the grant of %s declares a gang of %s, so that it is backed in one piece", c.Quota, text.Count(c.GPUs, "GPU"))
	case whatif.Transfer:
		return fmt.Sprintf("%s of quota from %s, which its work does not use", text.Count(c.GPUs, "GPU"), c.Quota)
	case whatif.Ends:
		return strings.Join(c.Names, ", ") + ends(c)
	case whatif.Holds:
		return strings.Join(c.Names, ", ") + ends(c) + " or is released"
	}
	return string(c.Kind)
}

// anew says of work that a cluster's own objects make how its pods say it.
func anew(c whatif.Change, note string) string {
	if c.Made == "" {
		return ""
	}
	return " (" + note + " among the annotations of its pods: make " + c.Made + " anew)"
}

// gated says of work that was seen what else it needs, so that Muster starts it.
func gated(c whatif.Change) string {
	if c.Made == "" {
		return ""
	}
	return ", and its pods wait for Muster (a target, in an enrolled namespace)"
}

func nodesHealthy(names []string) string {
	if len(names) == 1 {
		return "node " + names[0] + " repaired and validated"
	}
	return fmt.Sprintf("%s repaired and validated: %s", text.Count(len(names), "node"), strings.Join(names[:min(len(names), 4)], ", "))
}

func ends(c whatif.Change) string {
	verb := " ends"
	if len(c.Names) > 1 {
		verb = " end"
	}
	switch {
	case c.By != 0:
		return verb
	case c.Declared:
		return verb + " (not all have started yet)"
	}
	if len(c.Names) > 1 {
		return verb + " (not all declared when)"
	}
	return verb + " (no end is declared)"
}

// commandLines are commands as people give them. What a cluster's own objects make is
// told there: Muster would be told again how it was.
func commandLines(s *fleet.State, list []core.Command) []string {
	lines := make([]string, 0, len(list))
	if slices.ContainsFunc(list, submitsThere) {
		return lines // its pods are made anew, with other annotations: that is said in words
	}
	for _, c := range list {
		text, there := lineThere(s, c)
		if !there {
			text = commandLine(c)
		}
		if text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

func submitsThere(c core.Command) bool {
	submit, ok := c.(core.Submit)
	return ok && submit.Spec.Home() != ""
}

// lineThere is the command line of a command about work that a cluster's own objects
// make, "" where there is none; there is false for every other command.
func lineThere(s *fleet.State, c core.Command) (text string, there bool) {
	switch c := c.(type) {
	case core.Resize:
		if w := s.Workload(c.Namespace, c.Name); w != nil && w.Home() != "" {
			return core.ScaleLine(&w.Spec, strconv.Itoa(c.Max)), true
		}
	case core.Cancel:
		if w := s.Workload(c.Namespace, c.Name); w != nil && w.Home() != "" {
			text = core.DeleteLine(&w.Spec)
			return text, text != "" || s.OnlySeen(&w.Spec)
		}
	}
	return "", false
}

func commandLine(c core.Command) string {
	switch c := c.(type) {
	case core.Retarget:
		return line("job retarget", c.Namespace+"/"+c.Name, c.Target, option("--partition", c.Partition))
	case core.Cancel:
		return line("job cancel", c.Namespace+"/"+c.Name)
	case core.Resize:
		return line("job resize", c.Namespace+"/"+c.Name, sizeText(c.Min, c.Max), option("--pool", c.Pool))
	case core.Prioritise:
		return line("job priority", c.Namespace+"/"+c.Name, c.Priority.String())
	case core.Submit:
		return submitLine(c.Spec)
	case core.SetGrant:
		gang := ""
		if !c.KeepGang {
			gang = fmt.Sprintf("--gang %d", c.Gang)
		}
		return line("quota grant", c.Quota, c.Partition, fmt.Sprint(c.GPUs), gang)
	case core.Transfer:
		return line("quota transfer", c.From, c.To, c.Partition, fmt.Sprint(c.GPUs))
	case core.ReleaseHold:
		return line("quota hold", fmt.Sprintf("--release %d", c.ID))
	case core.RecordValidation:
		return line("node validate", c.Node, option("--check", strings.Join(c.Checks, ",")))
	case core.SetMode:
		return line("cluster mode", c.Cluster, string(c.Mode))
	case core.SetNodes:
		return line("node set", strings.Join(c.Names, " "), "--state "+string(c.State))
	}
	return ""
}

func line(words ...string) string {
	kept := []string{"muster"}
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

func option(flag, value string) string {
	if value == "" {
		return ""
	}
	return flag + " " + value
}

// sizeText is a size as job resize reads it.
func sizeText(least, most int) string {
	if least == most {
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d..%d", least, most)
}

func submitLine(s fleet.Spec) string {
	parts := []string{
		"submit", "-n " + s.Namespace, "--name " + s.Name, "--target " + s.Target, option("--partition", s.Partition), "--priority " + s.Priority.String(),
	}
	for _, p := range s.Pools {
		parts = append(parts, "--pool "+poolFlag(p))
	}
	if s.MaxRuntime > 0 {
		parts = append(parts, "--max-runtime "+words.Duration(s.MaxRuntime))
	}
	if s.BearsFreeze > 0 {
		parts = append(parts, "--bears-freeze "+words.Duration(s.BearsFreeze))
	}
	if s.CheckpointEvery > 0 {
		parts = append(parts, "--checkpoint-every "+words.Duration(s.CheckpointEvery))
	}
	if s.Grace != fleet.DefaultGrace {
		parts = append(parts, "--grace "+s.Grace.String())
	}
	return line(parts...)
}

// poolFlag says a pool as the flag of submit does.
func poolFlag(p fleet.Pool) string {
	shape := fmt.Sprintf("%dx%d", p.Max, p.GPUs)
	if p.Elastic {
		shape = fmt.Sprintf("%d..%dx%d", p.Min, p.Max, p.GPUs)
	}
	text := p.Name + "=" + shape
	if p.Rank > 0 {
		text += fmt.Sprintf(",rank=%d", p.Rank)
	}
	usual := fleet.ReachAny
	if p.Max > 1 && !p.Elastic {
		usual = fleet.ReachIsland
	}
	if p.Reach != usual && (p.Max > 1 || p.Elastic) {
		text += ",reach=" + string(p.Reach)
	}
	return text
}
