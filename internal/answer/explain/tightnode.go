package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Tight is a node that takes fewer pods of a footprint than it has GPUs for, and why.
type Tight struct {
	Name      string // of the node
	Footprint string
	Takes     int      // so many beside what stands there and stays
	Of        int      // so many it has GPUs for
	Empty     int      // so many it would take if nothing stood there
	Why       string   // what it lacks, as its cluster said it when this began
	Foreign   bool     // what is not Muster's is in the way
	Pods      []string // a few pods of that, as namespace/name
	Work      []string // Muster's own work that is in the way, as namespace/name
	Others    int      // so much more of that, which the reader may not read
	Asked     []string // a few workloads that ask for the footprint, as namespace/name: those that wait first
}

// tightOn is what is known of a node for pods of a footprint with so many GPUs each.
func tightOn(n *fleet.Node, footprint string, t fleet.Tight, gpus int) Tight {
	of := n.GPUs / max(1, gpus)
	is := Tight{Name: n.Name, Footprint: footprint, Of: of, Takes: min(of, t.Takes), Empty: min(of, max(t.Takes, t.Empty)), Why: t.Why}
	if is.Foreign = is.Takes < is.Empty; is.Foreign {
		is.Pods = t.By
	}
	if work := worksThere(n); t.Full && t.More < is.Takes && len(work) > 0 {
		is.Takes, is.Work = t.More, work
	}
	return is
}

// worksThere names what holds or has reserved GPUs on a node.
func worksThere(n *fleet.Node) (names []string) {
	for _, r := range n.Residents() {
		if is := name(r.Workload); len(names) == 0 || names[len(names)-1] != is {
			names = append(names, is) // residents stand in order of workload
		}
	}
	return names
}

// String says what the node lacks and who has it: the rest of a sentence that begins with its name.
func (t Tight) String() string {
	says := cmp.Or(t.Why, "takes fewer pods than it has GPUs for")
	switch who := t.inTheWay(); {
	case who != "":
		return says + "; in the way: " + who
	case t.Empty == 0:
		return says + "; it would take none if it were empty"
	case t.Empty < t.Of:
		return says + fmt.Sprintf("; it would take %d if it were empty", t.Empty)
	}
	return says
}

// inTheWay says who has what the node lacks; "": it is too small by itself.
func (t Tight) inTheWay() string {
	const named = 3
	var who []string
	switch {
	case t.Foreign && len(t.Pods) > 0:
		who = append(who, "pods that are not Muster's ("+text.Few(t.Pods, named)+")")
	case t.Foreign:
		who = append(who, "pods that are not Muster's")
	}
	if len(t.Work) > 0 {
		who = append(who, text.Few(t.Work, named))
	}
	if t.Others > 0 {
		who = append(who, "work of other teams")
	}
	return strings.Join(who, ", and ")
}

// To is what a reader is told: the names, namespace/name, of the work and pods that they may read, and how
// much other work is in the way.
func (t Tight) To(may func(name string) bool) Tight {
	hidden := func(name string) bool { return !may(name) }
	all := len(t.Work)
	t.Pods, t.Work, t.Asked = slices.DeleteFunc(slices.Clone(t.Pods), hidden), slices.DeleteFunc(slices.Clone(t.Work), hidden), slices.DeleteFunc(slices.Clone(t.Asked), hidden)
	t.Others = all - len(t.Work)
	return t
}

// Asks says who asks for each footprint for which some node of a partition is tight. It looks at all work once.
type Asks map[string]*asked

type asked struct {
	gpus           int // of the smallest replica
	waiting, named []string
}

// AsksIn finds who asks in a partition.
func AsksIn(s *fleet.State, p *fleet.Partition) Asks {
	all := Asks{}
	for _, f := range p.Footprints {
		all[f.Name] = &asked{}
	}
	if len(all) == 0 {
		return all
	}
	for _, w := range s.Alive() {
		if w.At() != p && (w.At() != nil || !w.May(p)) {
			continue
		}
		for _, pool := range w.Pools {
			if is := all[pool.Footprint]; is != nil {
				is.add(w, pool)
			}
		}
	}
	return all
}

func (a *asked) add(w *fleet.Workload, pool fleet.Pool) {
	if a.gpus == 0 || pool.GPUs < a.gpus {
		a.gpus = pool.GPUs
	}
	list := &a.named
	if w.State == fleet.Pending {
		list = &a.waiting
	}
	if is := name(w); !slices.Contains(*list, is) && len(*list) < most {
		*list = append(*list, is)
	}
}

// mostTight is how many footprints are told of a node.
const mostTight = 8

// TightFor lists for which footprints a node takes fewer pods than it has GPUs for: those that waiting work asks
// for first, then by name. more says how many others there are.
func (a Asks) TightFor(p *fleet.Partition, node int) (list []Tight, more int) {
	for _, f := range p.Footprints {
		t, by := f.At(node), a[f.Name]
		if t == nil || by == nil {
			continue
		}
		is := tightOn(p.Nodes[node], f.Name, *t, by.gpus)
		is.Asked = append(slices.Clone(by.waiting), by.named...)
		is.Asked = is.Asked[:min(len(is.Asked), most)]
		list = append(list, is)
	}
	slices.SortStableFunc(list, func(x, y Tight) int {
		return cmp.Compare(min(1, len(a[y.Footprint].waiting)), min(1, len(a[x.Footprint].waiting)))
	})
	shown := min(len(list), mostTight)
	return list[:shown], len(list) - shown
}
