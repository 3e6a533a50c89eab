package explain

import (
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Reader says whether one may be told of a workload, or of a pod that is not Muster's, by its namespace/name
// in a partition. nil: of all.
type Reader func(p *fleet.Partition, name string) bool

func (r Reader) may(p *fleet.Partition, name string) bool { return r == nil || r(p, name) }

// name is what a workload is called to the reader.
func (r Reader) name(p *fleet.Partition, w *fleet.Workload) string {
	if is := name(w); r.may(p, is) {
		return is
	}
	return text.OfOthers(1)
}

// named is work as a reader is told of it.
type named struct {
	names  []string
	others int // so much more, which they may not read
}

func (r Reader) named(p *fleet.Partition, list []*fleet.Workload) (n named) {
	for _, w := range list {
		if is := name(w); r.may(p, is) {
			n.names = append(n.names, is)
		} else {
			n.others++
		}
	}
	return n
}

// most is how many culprits are named; the one that holds the most comes first.
const most = 5

// holders names the work in a partition that holds the most of some.
func (q *question) holders(work []*fleet.Workload) named {
	var list [most + 1]*fleet.Workload // a few of thousands, asked for by each row of a list with reasons
	n := 0
	for _, w := range work {
		at := n
		for at > 0 && list[at-1].GPUs() < w.GPUs() {
			list[at] = list[at-1]
			at--
		}
		list[at] = w
		n = min(n+1, most)
	}
	return q.reader.named(q.p, list[:n])
}

// String lists names for a sentence; many are cut short.
func (n named) String() string {
	const most = 4
	shown := n.names[:min(len(n.names), most)]
	switch {
	case n.others == 0 && len(shown) == 0:
		return "no workload"
	case len(shown) == 0:
		return text.OfOthers(n.others)
	case n.others > 0:
		return strings.Join(shown, ", ") + " and " + text.Count(n.others+len(n.names)-len(shown), "other")
	case len(n.names) > most:
		return strings.Join(shown, ", ") + " and others"
	}
	return strings.Join(shown, ", ")
}

// begin gives a sentence that begins with work of others a capital letter.
func begin(sentence string) string {
	if strings.HasPrefix(sentence, text.OfOthers(1)) {
		return "A" + sentence[1:]
	}
	return sentence
}

func name(w *fleet.Workload) string { return w.Namespace + "/" + w.Name }
