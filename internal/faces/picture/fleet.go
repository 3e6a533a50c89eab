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
	w := &waterfall{f: f, to: to}
	w.nodes(health, incidents)
	w.promises()
	w.use()
	return w.list
}

// waterfall gathers the steps.
type waterfall struct {
	f    *musterv1.Figures
	to   Leads
	list []draw.Step
}

// add adds a step that the glossary has a word for. What the step leaves out is the word's: its
// name, what it says, and where it leads.
func (w *waterfall) add(word string, s draw.Step) {
	if s.Name == "" {
		s.Name = word
	}
	if s.Says == "" {
		s.Says = draw.Number(s.GPUs) + ". " + Define(word)
	}
	if s.Href == "" {
		s.Href = w.to("/words#" + Anchor(word))
	}
	w.list = append(w.list, s)
}

// nodes are the steps from what is installed to what is healthy.
func (w *waterfall) nodes(health []*musterv1.PartitionHealth, incidents []*musterv1.Incident) {
	installed, healthy, assigned := int(w.f.GetInstalled()), int(w.f.GetHealthy()), int(w.f.GetAssigned())
	w.add("installed", draw.Step{GPUs: installed, Ink: draw.Metal, Total: true, Href: w.to("/nodes")})
	w.add("not delivered", draw.Step{GPUs: max(0, assigned-installed), From: installed, Ink: draw.Paper, Href: w.to("/haircuts")})
	for _, s := range downs(w.to, health, installed, healthy) {
		w.add("down", s)
	}
	taken := taken(incidents)
	w.add("healthy", draw.Step{
		GPUs: healthy, Ink: draw.Metal, Total: true, Href: w.to("/nodes"), Note: noteIf(taken > 0, draw.Count(len(incidents), "incident")+" took "+draw.Number(taken)),
	})
}

// promises are the steps from what is healthy to what is assigned.
func (w *waterfall) promises() {
	healthy, promisable, unallocated := int(w.f.GetHealthy()), int(w.f.GetPromisable()), int(w.f.GetUnallocated())
	assigned, backed, serving := int(w.f.GetAssigned()), int(w.f.GetBacked()), bufferInFlex(w.f)
	w.add("buffer", draw.Step{GPUs: healthy - promisable, From: promisable, Ink: draw.Buffer, Href: w.to("/promise"), Note: noteIf(serving > 0, draw.Number(serving)+" serve flex")})
	w.add("promisable", draw.Step{GPUs: promisable, Ink: draw.Metal, Total: true, Href: w.to("/promise")})
	w.add("unallocated", draw.Step{GPUs: unallocated, From: promisable - unallocated, Ink: draw.Flex, Note: noteIf(unallocated > 0, "serves flex")})
	w.add("assigned", draw.Step{
		GPUs: assigned, Ink: draw.Quota, Total: true, Href: w.to("/teams"), Note: noteIf(assigned > backed, draw.Number(assigned-backed)+" unbacked"),
		Parts: []draw.Part{
			{GPUs: backed, Ink: draw.Quota, Says: draw.Number(backed) + " backed. " + Define("backed")},
			{GPUs: assigned - backed, Ink: draw.Paper, Says: draw.Number(assigned-backed) + " unbacked. " + Define("unbacked")},
		},
	})
}

// use are the steps from what is backed to what does work. What is busy is known only where
// utilisation was measured.
func (w *waterfall) use() {
	backed, scheduled := int(w.f.GetBacked()), int(w.f.GetScheduled())
	idle, measured := min(int(w.f.GetIdle()), scheduled), min(int(w.f.GetMeasured()), scheduled)
	busy := max(0, measured-idle)
	unknown := scheduled - busy - idle
	w.add("unscheduled", draw.Step{GPUs: backed - scheduled, From: scheduled, Ink: draw.Flex, Href: w.to("/teams"), Note: noteIf(backed > scheduled, "flex, or lent")})
	w.add("scheduled", draw.Step{
		GPUs: scheduled, Ink: draw.Quota, Total: true, Href: w.to("/workloads", "states", "running"),
		Parts: []draw.Part{
			{GPUs: busy, Ink: draw.Quota, Says: draw.Number(busy) + " busy. " + Define("busy")},
			{GPUs: unknown, Ink: draw.Quota, Says: draw.Number(unknown) + " whose utilisation was not measured."},
			{GPUs: idle, Ink: draw.Idle, Says: draw.Number(idle) + " idle. " + Define("idle")},
		},
	})
	if measured > 0 {
		w.add("busy", draw.Step{
			GPUs: busy, Ink: draw.Quota, Total: true, Href: w.to("/workloads", "states", "running"),
			Note: noteIf(unknown > 0, draw.Number(unknown)+" not measured"),
		})
	}
	w.add("idle", draw.Step{GPUs: idle, From: busy, Ink: draw.Idle, Href: w.to("/teams"), Note: noteIf(measured == 0 && scheduled > 0, "not measured")})
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

// stateInk is the ink of each node state.
var stateInk = map[string]draw.Ink{
	"suspect": draw.Suspect, "quarantined": draw.Down, "repairing": draw.Repair, "validating": draw.Validate, "probation": draw.Probation,
	"degraded": draw.Suspect, "maintenance": draw.Planned, "retired": draw.Paper,
}

// downName is what a step of nodes that are down is called: their state and its cause, and neither twice.
func downName(state, cause string) string {
	if strings.HasPrefix(cause, state+" ") {
		return cause
	}
	return strings.Trim(state+": "+cause, ": ")
}

// downs are the steps from installed to healthy: the states with the most GPUs
// first, and the rest together.
func downs(to Leads, health []*musterv1.PartitionHealth, installed, healthy int) []draw.Step {
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
		name, gpus := downName(g.state, g.cause), g.gpus
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

// taken is how many GPUs incidents keep out of service.
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
		return "More was granted than is sustainable, on purpose; it ends with the next grant that is not, or with a cut"
	case "NotWholeNodes":
		return "A part of the grant fills no whole node: nothing can back that part"
	}
	return flag
}
