package promise

import (
	"github.com/muster-fleet/muster/internal/fleet"
)

// Alignment maps the grants of a partition to islands, in whole nodes.
type Alignment struct {
	Capacity
	Backing [][]int // by account (in order of quota path), by island
	Gangs   []Gang  // by account
}

// Gang says whether a declared gang is backed, and what is missing where if not.
type Gang struct {
	Missing int // GPUs; 0: backed, or none declared
	Island  int // the island that backs it, or the best one
}

// aligner carries one alignment through its steps. Quantities are nodes.
type aligner struct {
	p       *fleet.Partition
	cap     Capacity
	blocks  [][]int // nodes that gangs take, by account, by island
	taken   []int   // nodes that gangs take, by island
	total   int     // nodes that gangs take
	backed  []bool  // whether the declared gang is backed
	targets []int   // nodes that each account gets
	backing [][]int
	have    []int // nodes that back each account so far
	used    []int // nodes of each island that back somebody so far
	gangs   []Gang
}

// Align decides the backing of every account (semantics §3). It is a pure
// function of the partition (its present backing and running work among it),
// the policies in force and the moment.
func Align(s *fleet.State, p *fleet.Partition, now fleet.Instant) Alignment {
	al := &aligner{p: p, cap: CapacityOf(s, p, now)}
	al.start()
	al.backRunningGangs()  // rule 3
	al.backDeclaredGangs() // rule 3, 4
	al.shareTheRest()      // rule 5
	al.keepWhatStands()    // rule 4
	al.addWhatIsMissing()  // rule 6
	al.followTheWork()     // §5: backing follows its quota's running work
	return Alignment{Capacity: al.cap, Backing: al.backing, Gangs: al.gangs}
}

func (al *aligner) start() {
	n, islands := len(al.p.Accounts), len(al.p.Islands)
	al.blocks, al.backing = matrix(n, islands), matrix(n, islands)
	al.taken, al.targets = make([]int, islands), make([]int, n)
	al.have, al.used = make([]int, n), make([]int, islands)
	al.backed, al.gangs = make([]bool, n), make([]Gang, n)
}

func matrix(rows, columns int) [][]int {
	cells := make([]int, rows*columns)
	m := make([][]int, rows)
	for i := range m {
		m[i] = cells[i*columns : (i+1)*columns]
	}
	return m
}

// nodes is the number of whole nodes that some GPUs need.
func (al *aligner) nodes(gpus int) int {
	return (gpus + al.p.GPUsPerNode - 1) / al.p.GPUsPerNode
}

// grant is an account's grant in nodes.
func (al *aligner) grant(a int) int { return al.p.Accounts[a].Grant / al.p.GPUsPerNode }

func total(xs []int) int {
	t := 0
	for _, x := range xs {
		t += x
	}
	return t
}
