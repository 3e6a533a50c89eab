package picture

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Leads says where a part of a picture leads: an address from a path, and names and
// values of its query. nil: nowhere.
type Leads func(path string, query ...string) string

func nowhere(string, ...string) string { return "" }

// Waterfall is the steps from installed to idle: what of the GPUs that were paid for
// does work, and where the others are.
func Waterfall(f *musterv1.Figures, health []*musterv1.PartitionHealth, incidents []*musterv1.Incident, to Leads) []draw.Step {
	if to == nil {
		to = nowhere
	}
	n := func(x int32) int { return int(x) }
	installed, healthy, promisable, assigned := n(f.GetInstalled()), n(f.GetHealthy()), n(f.GetPromisable()), n(f.GetAssigned())
	backed, scheduled, idle := n(f.GetBacked()), n(f.GetScheduled()), min(n(f.GetIdle()), n(f.GetScheduled()))
	measured := min(n(f.GetMeasured()), scheduled)
	busy := max(0, measured-idle)
	var list []draw.Step
	add := func(word string, s draw.Step) {
		if s.Name == "" {
			s.Name = word
		}
		if s.Says == "" {
			s.Says = draw.Number(s.GPUs) + ". " + Define(word)
		}
		if s.Href == "" {
			s.Href = to("/words#" + Anchor(word))
		}
		list = append(list, s)
	}
	add("installed", draw.Step{GPUs: installed, Ink: draw.Metal, Total: true, Href: to("/nodes")})
	add("not delivered", draw.Step{GPUs: max(0, assigned-installed), From: installed, Ink: draw.Paper, Href: to("/haircuts")})
	for _, s := range downs(to, health, installed, healthy, incidents) {
		add("down", s)
	}
	add("healthy", draw.Step{GPUs: healthy, Ink: draw.Metal, Total: true, Href: to("/nodes")})
	serving := bufferInFlex(f)
	add("buffer", draw.Step{GPUs: healthy - promisable, From: promisable, Ink: draw.Buffer, Href: to("/promise"), Note: noteIf(serving > 0, draw.Number(serving)+" serve flex")})
	add("promisable", draw.Step{GPUs: promisable, Ink: draw.Metal, Total: true, Href: to("/promise")})
	add("unallocated", draw.Step{GPUs: n(f.GetUnallocated()), From: promisable - n(f.GetUnallocated()), Ink: draw.Flex, Note: noteIf(f.GetUnallocated() > 0, "serves flex")})
	add("assigned", draw.Step{
		GPUs: assigned, Ink: draw.Quota, Total: true, Href: to("/teams"), Note: noteIf(assigned > backed, draw.Number(assigned-backed)+" unbacked"),
		Parts: []draw.Part{
			{GPUs: backed, Ink: draw.Quota, Says: draw.Number(backed) + " backed. " + Define("backed")},
			{GPUs: assigned - backed, Ink: draw.Paper, Says: draw.Number(assigned-backed) + " unbacked. " + Define("unbacked")},
		},
	})
	add("unscheduled", draw.Step{GPUs: backed - scheduled, From: scheduled, Ink: draw.Flex, Href: to("/teams"), Note: noteIf(backed > scheduled, "flex, or lent")})
	add("scheduled", draw.Step{
		GPUs: scheduled, Ink: draw.Quota, Total: true, Href: to("/workloads", "states", "running"),
		Parts: []draw.Part{
			{GPUs: busy, Ink: draw.Quota, Says: draw.Number(busy) + " busy. " + Define("busy")},
			{GPUs: scheduled - busy - idle, Ink: draw.Quota, Says: draw.Number(scheduled-busy-idle) + " whose utilisation was not measured."},
			{GPUs: idle, Ink: draw.Idle, Says: draw.Number(idle) + " idle. " + Define("idle")},
		},
	})
	if measured > 0 { // else what is busy is not known
		unknown := scheduled - busy - idle
		add("busy", draw.Step{
			GPUs: busy, Ink: draw.Quota, Total: true, Href: to("/workloads", "states", "running"),
			Note: noteIf(unknown > 0, draw.Number(unknown)+" not measured"),
		})
	}
	add("idle", draw.Step{GPUs: idle, From: busy, Ink: draw.Idle, Href: to("/teams")})
	return list
}

// bufferInFlex is the part of the buffer that serves flex: flex without the nodes that are not
// healthy, what is unallocated, and backing that is neither used nor lent.
func bufferInFlex(f *musterv1.Figures) int {
	rest := f.GetFlex() - (f.GetUsable() - f.GetHealthy()) - f.GetUnallocated() - (f.GetUnscheduled() - f.GetBorrowed())
	return int(max(0, min(rest, f.GetHealthy()-f.GetPromisable())))
}

func noteIf(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}

// The ink of each node state.
var stateInk = map[string]draw.Ink{
	"suspect": draw.Suspect, "quarantined": draw.Down, "repairing": draw.Repair, "validating": draw.Validate, "probation": draw.Probation,
	"degraded": draw.Suspect, "maintenance": draw.Planned, "retired": draw.Paper,
}

// downs are the steps from installed to healthy: the states with the most GPUs
// first, and the rest together.
func downs(to Leads, health []*musterv1.PartitionHealth, installed, healthy int, incidents []*musterv1.Incident) []draw.Step {
	type group struct {
		state, cause string
		gpus         int
	}
	var groups []group
	for _, p := range health {
		for _, s := range p.GetStates() {
			if s.GetState() == "healthy" {
				continue
			}
			cause := CauseText(s.GetState(), s.GetCause())
			i := slices.IndexFunc(groups, func(g group) bool { return g.state == s.GetState() && g.cause == cause })
			if i < 0 {
				groups, i = append(groups, group{s.GetState(), cause, 0}), len(groups)
			}
			groups[i].gpus += int(s.GetGpus())
		}
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(-cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.state, b.state), cmp.Compare(a.cause, b.cause))
	})
	var list []draw.Step
	at := installed
	for i, g := range groups {
		name, gpus := strings.Trim(g.state+": "+g.cause, ": "), g.gpus
		if i == 5 && len(groups) > 6 {
			name, gpus = "down for other causes", at-healthy
		}
		gpus = min(gpus, at-healthy)
		at -= gpus
		list = append(list, draw.Step{Name: name, GPUs: gpus, From: at, Ink: stateInk[g.state], Href: to("/nodes", "states", g.state), Says: draw.Number(gpus) + " down. " + Define("down")})
		if at == healthy {
			break
		}
	}
	if at > healthy || len(list) == 0 {
		list = append(list, draw.Step{Name: "down", GPUs: at - healthy, From: healthy, Ink: draw.Down, Href: to("/nodes")})
	}
	if taken := taken(incidents); taken > 0 {
		list[0].Note = draw.Count(len(incidents), "incident") + ": " + draw.Number(taken)
	}
	return list
}

// CauseText is a cause without what its state says already.
func CauseText(state, cause string) string {
	cause = strings.TrimPrefix(cause, "validation passed: ")
	for strings.HasSuffix(cause, ": "+state) {
		cause = strings.TrimSuffix(cause, ": "+state)
	}
	if cause == state {
		return ""
	}
	return cause
}

func taken(incidents []*musterv1.Incident) (gpus int) {
	for _, i := range incidents {
		gpus += int(i.GetGpus())
	}
	return gpus
}

// FlagText says what a flag of a grant means.
func FlagText(flag string, g *musterv1.Grant) string {
	switch flag {
	case "GangUnbacked":
		return "The gang of " + draw.Number(int(g.GetGang())) + " GPUs lacks " + draw.Number(int(g.GetGangMissing())) + " in its best island"
	case "Overcommitted":
		return "More was granted than is sustainable, on purpose"
	}
	return flag
}
