package judge_test

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// key is a state of a model, as a fingerprint: two moments have the same key where
// the same may follow. Of a million states two share one by accident with a chance
// of one in thirty million.
type key uint64

// key tells two moments apart by the backing, what stands where and how, and who
// waits, in their order. Left out is what decides nothing:
//
//   - how far apart two importances are, or the names of two namespaces;
//   - which of two units of unequal importance is older in quota (on flex the
//     namespace whose head is older comes first among equals);
//   - when all this is, what has ended, and what workloads are called.
//
// Nothing else is taken for alike, for ties are broken: between quotas and between
// islands by name, between namespaces by age and name, between nodes by their place
// in the fleet. Mirrored fleets, and fleets with two nodes in each other's place, do
// go on differently; exploring found that out. TestWhatIsAlikeGoesOnAlike and every
// exploration look whether states with one key go on alike.
func (at moment) key() key { return keyOf(at.text(nil, inOrder(at.open()))) }

func keyOf(text []byte) key {
	sum := sha256.Sum256(text)
	return key(binary.LittleEndian.Uint64(sum[:]))
}

// exact tells two moments apart by all names too.
func (at moment) exact() key {
	var text []byte
	open := at.open()
	for _, w := range open {
		text = append(text, byte(levelOf(w)/10), byte(spaceOf(w)/10))
	}
	return keyOf(at.text(text, open))
}

// text writes a moment down.
func (at moment) text(b []byte, open []*fleet.Workload) []byte {
	p := at.s.Partition(here)
	b = append(b, byte(p.Promisable), truth(p.Regranted))
	for _, a := range p.Accounts {
		for _, n := range a.Backing {
			b = append(b, byte(n))
		}
		b = append(b, byte(a.GangMissing), byte(a.GangIsland))
	}
	places := placesOf(open)
	for _, island := range p.Islands {
		b = append(b, byte(island.Share))
		for _, n := range island.Nodes() {
			b = binary.LittleEndian.AppendUint64(b, nodeCode(p.Nodes[n], places))
		}
	}
	return workText(b, open, places)
}

func workText(b []byte, open []*fleet.Workload, places map[uint64]int) []byte {
	names, quotas, flex := spacesOpen(open), levelsOpen(open, false), levelsOpen(open, true)
	for _, w := range open {
		target := byte(flexTarget)
		if w.Flexes() {
			target += byte(slices.Index(names, spaceOf(w)))
		} else {
			target = byte(slices.Index(quotaPaths, w.Target))
		}
		levels := quotas
		if w.Flexes() {
			levels = flex
		}
		owner := 0
		if at, is := places[w.For]; is {
			owner = 1 + at
		}
		b = append(b, target, byte(slices.Index(levels, levelOf(w))), byte(w.Pools[0].Min), stateCode[w.State], byte(owner), truth(w.Started != 0), truth(w.Moves != nil))
	}
	return b
}

func truth(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

var stateCode = map[fleet.WorkloadState]byte{
	fleet.Pending: 1, fleet.Starting: 2, fleet.RunningW: 3, fleet.Evicting: 4, fleet.Mending: 5,
	fleet.Finished: 6, fleet.Failed: 7, fleet.Cancelled: 8,
}

var nodeStateCode = map[fleet.NodeState]uint64{fleet.Healthy: 1, fleet.Quarantined: 2}

// inOrder lists in-quota work in the order of importance and age, and then flex
// work by age.
func inOrder(open []*fleet.Workload) []*fleet.Workload {
	list := slices.Clone(open)
	slices.SortStableFunc(list, func(a, b *fleet.Workload) int {
		if a.Flexes() != b.Flexes() {
			return int(truth(a.Flexes())) - int(truth(b.Flexes()))
		}
		if a.Flexes() {
			return 0
		}
		return int(levelOf(a)) - int(levelOf(b))
	})
	return list
}

// placesOf numbers workloads.
func placesOf(open []*fleet.Workload) map[uint64]int {
	places := make(map[uint64]int, len(open))
	for i, w := range open {
		places[w.ID] = i
	}
	return places
}

// nodeCode is what stands on a node and how: its state, and eleven bits for each
// replica, of which there are at most four (it leaves, or its room is reserved).
func nodeCode(n *fleet.Node, places map[uint64]int) uint64 {
	var codes [4]uint64
	residents := n.Residents()
	for i, r := range residents {
		codes[i] = uint64(places[r.Workload.ID])<<6 | uint64(r.Pool)<<5 | uint64(r.Phase)<<3 | uint64(holdsOn(r, n)) | 1<<10
	}
	slices.Sort(codes[:len(residents)])
	code := nodeStateCode[n.State]
	for _, c := range codes[:len(residents)] {
		code = code<<11 | c
	}
	return code
}

// holdsOn is how a resident holds its GPU.
func holdsOn(r fleet.Resident, n *fleet.Node) fleet.HeldAs {
	p := r.Workload.At()
	if p == nil {
		return fleet.NoHolds
	}
	for _, x := range r.Workload.Replicas[r.Pool] {
		if x.Phase == r.Phase && p.Nodes[x.Node] == n {
			return x.HeldAs
		}
	}
	return fleet.NoHolds
}
