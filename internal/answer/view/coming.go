package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Ahead is something that is known to be coming.
type Ahead struct {
	Kind      string        `json:"kind"`  // one of the constants
	At        fleet.Instant `json:"at"`    // 0: not known
	Since     fleet.Instant `json:"since"` // since when it is on its way; 0: nothing is said
	Partition string        `json:"partition"`
	GPUs      int           `json:"gpus"`
	Text      string        `json:"text"`
	About     string        `json:"about"` // the node, workload, quota, incident or haircut
	Nodes     []string      `json:"nodes"`
}

// The kinds of what is coming.
const (
	AheadProbation   = "probation"   // nodes are healthy again once it is over
	AheadDwell       = "dwell"       // what was lower for a while may be promised again
	AheadHold        = "hold"        // a hold ends
	AheadGrant       = "grant"       // part of a grant ends
	AheadWork        = "work"        // work reaches the end that it declared
	AheadMaintenance = "maintenance" // nodes are under it now, and come back; or it takes them
	AheadZone        = "zone"        // a no-fly zone begins, or ends
	AheadIncident    = "incident"    // it is open, and will end
	AheadWave        = "wave"        // of a haircut that is saved and not in force
	AheadDelivery    = "delivery"    // GPUs are assigned that are not installed
	AheadArrival     = "arrival"     // a cluster that is built is to be in production
)

// soon is how far ahead the ends of work are told.
const soon = 24 * time.Hour

// mostEnds is how many ends of work are told of a partition: the largest.
const mostEnds = 5

// ComingTo lists what is known to be coming in some partitions: the soonest first,
// what has no known moment last. takes says how many GPUs an incident takes. Work that the reader may not
// read is not named.
func ComingTo(s *fleet.State, list []*fleet.Partition, takes func(*fleet.Incident) int, sees Sees, now fleet.Instant) (all []Ahead) {
	for _, p := range list {
		all = append(all, returns(p, now)...)
		all = append(all, dwells(p, now)...)
		all = append(all, ends(p, sees, now)...)
		all = append(all, outOfPlan(p, now)...)
		all = append(all, announced(s, p, now)...)
		if missing := p.Assigned() - p.Tally().Installed; missing > 0 {
			all = append(all, Ahead{Kind: AheadDelivery, Partition: p.ID, GPUs: missing, Text: fmt.Sprintf("%s not installed; no delivery date is known", text.Counted(missing, "GPU is assigned that is", "GPUs are assigned that are"))})
		}
	}
	all = append(all, grantsEnd(list)...)
	all = append(all, holdsEnd(s, list, now)...)
	all = append(all, zonesAhead(s, list, now)...)
	all = append(all, openIncidents(s, list, takes)...)
	all = append(all, waves(s, list)...)
	SortAhead(all)
	return all
}

// SortAhead puts the soonest first, and what has no known moment last.
func SortAhead(all []Ahead) {
	slices.SortStableFunc(all, func(a, b Ahead) int {
		if (a.At == 0) != (b.At == 0) {
			return cmp.Compare(b.At, a.At)
		}
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
}

// returns are the ends of probation, those of the same minute together.
func returns(p *fleet.Partition, now fleet.Instant) (list []Ahead) {
	for _, n := range p.Nodes {
		if at := p.State().ProbationEnds(n); n.State == fleet.Probation && at > now {
			list = together(list, Ahead{Kind: AheadProbation, At: at, Since: n.Since, Partition: p.ID, GPUs: n.GPUs, Nodes: []string{n.Name}})
		}
	}
	for i := range list {
		list[i].Text = nodesText(list[i].Nodes, "is", "are") + " through probation and healthy, if nothing is seen until then"
	}
	return list
}

// dwells are the ends of the time for which what is promisable remembers nodes that
// are back already.
func dwells(p *fleet.Partition, now fleet.Instant) (list []Ahead) {
	for _, d := range p.Downs {
		n := p.Nodes[d.Node]
		if d.To == fleet.Never || n.State != fleet.Healthy {
			continue
		}
		if at := d.To.Add(p.State().Policy.Dwell); at > now {
			list = together(list, Ahead{Kind: AheadDwell, At: at, Since: d.To, Partition: p.ID, GPUs: n.GPUs, Nodes: []string{n.Name}})
		}
	}
	for i := range list {
		list[i].Text = nodesText(list[i].Nodes, "has", "have") + " stayed healthy long enough to be promised again"
	}
	return list
}

// together adds something to what comes in the same minute.
func together(list []Ahead, one Ahead) []Ahead {
	minute := fleet.Instant(time.Minute)
	for i := range list {
		if x := &list[i]; x.Kind == one.Kind && x.At/minute == one.At/minute {
			x.GPUs, x.Nodes, x.Since = x.GPUs+one.GPUs, append(x.Nodes, one.Nodes...), min(x.Since, one.Since)
			return list
		}
	}
	if len(one.Nodes) == 1 {
		one.About = one.Nodes[0]
	}
	return append(list, one)
}

func nodesText(nodes []string, one, more string) string {
	if len(nodes) == 1 {
		return nodes[0] + " " + one
	}
	return fmt.Sprintf("%s %s", text.Count(len(nodes), "node"), more)
}

// ends are the next declared ends of the largest work.
func ends(p *fleet.Partition, sees Sees, now fleet.Instant) (list []Ahead) {
	var ending []*fleet.Workload
	add := func(w *fleet.Workload) {
		if at := declaredEnd(w); w.MaxRuntime > 0 && w.Started > 0 && !w.Leaves() && at > now && at <= now.Add(soon) {
			ending = append(ending, w)
		}
	}
	for _, a := range p.Accounts {
		for _, w := range a.Work() {
			add(w)
		}
	}
	for _, w := range p.FlexWork() {
		add(w)
	}
	slices.SortFunc(ending, func(a, b *fleet.Workload) int {
		return cmp.Or(cmp.Compare(b.GPUs(), a.GPUs()), cmp.Compare(declaredEnd(a), declaredEnd(b)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, w := range ending[:min(len(ending), mostEnds)] { // there may be tens of thousands: words only for those that are told
		one := Ahead{
			Kind: AheadWork, At: declaredEnd(w), Since: w.Started, Partition: p.ID, GPUs: w.GPUs(),
			Text: fmt.Sprintf("%s ends as declared, and frees %s", sees.Name(w), text.Count(w.GPUs(), "GPU")),
		}
		if sees.May(w) {
			one.About = sees.Name(w)
		}
		list = append(list, one)
	}
	return list
}

// declaredEnd is when a workload that has started reaches the end that it declared.
func declaredEnd(w *fleet.Workload) fleet.Instant { return w.Started.Add(w.MaxRuntime) }

// grantsEnd are the ends of what was granted until a moment.
func grantsEnd(list []*fleet.Partition) (all []Ahead) {
	for _, p := range list {
		for _, a := range p.Accounts {
			if t := a.Temporary; t.GPUs > 0 {
				all = append(all, Ahead{
					Kind: AheadGrant, At: t.Until, Partition: p.ID, GPUs: t.GPUs, About: a.Quota,
					Text: fmt.Sprintf("%s of the grant of %s %s, and %s %s left", text.Count(t.GPUs, "GPU"), a.Quota, text.Verb(t.GPUs, "ends", "end"), text.Group(a.Lasting()), text.Verb(a.Lasting(), "is", "are")),
				})
			}
		}
	}
	return all
}

func holdsEnd(s *fleet.State, list []*fleet.Partition, now fleet.Instant) (all []Ahead) {
	for _, h := range s.Holds {
		if h.Until <= now || !slices.ContainsFunc(list, func(p *fleet.Partition) bool { return p.ID == h.Partition }) {
			continue
		}
		says := fmt.Sprintf("hold %d of %s for %s ends", h.ID, text.Count(h.GPUs, "GPU"), h.Quota)
		if h.Inside() {
			says = fmt.Sprintf("hold %d of %s in %s for %s ends", h.ID, text.Count(h.GPUs, "GPU"), h.Quota, h.Holder())
		}
		all = append(all, Ahead{Kind: AheadHold, At: h.Until, Since: h.Since, Partition: h.Partition, GPUs: h.GPUs, Text: says, About: h.Quota})
	}
	return all
}

func openIncidents(s *fleet.State, list []*fleet.Partition, takes func(*fleet.Incident) int) (all []Ahead) {
	for _, i := range s.Incidents {
		at := slices.IndexFunc(list, i.Touches)
		if i.Closed != 0 || at < 0 {
			continue
		}
		one := Ahead{Kind: AheadIncident, Since: i.Opened, GPUs: takes(i), About: i.Name, Nodes: i.Nodes}
		if i.Scope != "" || len(i.Nodes) > 0 {
			one.Partition = list[at].ID
		}
		one.Text = fmt.Sprintf("incident %s is open and takes %s; no end is known", i.Name, text.Count(one.GPUs, "GPU"))
		all = append(all, one)
	}
	return all
}

// waves are the parts of saved haircuts that are not in force yet.
func waves(s *fleet.State, list []*fleet.Partition) (all []Ahead) {
	for _, h := range s.Haircuts {
		for _, w := range h.Waves {
			if w.Applied != 0 || h.Reviewed == 0 {
				continue
			}
			for _, part := range w.Parts {
				cut := 0
				for _, c := range part.Cuts {
					cut += c.Was - c.Now
				}
				if cut == 0 || !slices.ContainsFunc(list, func(p *fleet.Partition) bool { return p.ID == part.Partition }) {
					continue
				}
				all = append(all, Ahead{
					Kind: AheadWave, Since: h.Reviewed, Partition: part.Partition, GPUs: cut, About: h.Name,
					Text: fmt.Sprintf("haircut %s is reviewed and would take %s from assigned; a person applies it", h.Name, text.Count(cut, "GPU")),
				})
			}
		}
	}
	return all
}
