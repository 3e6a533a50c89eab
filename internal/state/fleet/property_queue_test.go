package fleet

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A queue is told to keep units in order, and the first of each kind. The judge
// keeps a plain list, sorts it, and walks it.
func TestAQueueKeepsItsOrderAndTheFirstOfEachKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Partition{ID: "c/g"}
		a := &Account{Quota: "q", partition: p, root: &Tree{name: "q"}}
		a.queue.account = a
		var plain []*Waiting
		span := rapid.SampledFrom([]int{4, 40, 4000}).Draw(t, "moments") // few: many of the same age
		steps := rapid.IntRange(1, 600).Draw(t, "steps")
		for id := range steps {
			switch k := rapid.IntRange(0, 19).Draw(t, "what"); {
			case k == 0:
				setHolds(t, a)
			case k < 6 && len(plain) > 0:
				i := rapid.IntRange(0, len(plain)-1).Draw(t, "who")
				a.queue.remove(Waiting{Workload: plain[i].Workload, Pool: plain[i].Pool, Key: plain[i].Key})
				plain = slices.Delete(plain, i, i+1)
			default:
				it := drawnWaiting(t, uint64(id+1), span)
				a.queue.add(it)
				plain = append(plain, &it)
			}
			slices.SortFunc(plain, compareWaiting)
			judgeQueue(t, a, plain)
		}
	})
}

func setHolds(t *rapid.T, a *Account) {
	a.insideHolds = nil
	if rapid.Bool().Draw(t, "holds") {
		a.insideHolds = []*Hold{{ID: 1, Quota: "q", Namespace: "n0"}, {ID: 2, Quota: "q", User: "u1"}}
	}
	a.queue.refile()
}

func drawnWaiting(t *rapid.T, id uint64, span int) Waiting {
	w := &Workload{ID: id, Spec: Spec{
		Priority:  Priority(rapid.IntRange(0, 1).Draw(t, "priority")),
		Namespace: rapid.SampledFrom([]string{"n0", "n1"}).Draw(t, "namespace"),
		User:      rapid.SampledFrom([]string{"u0", "u1"}).Draw(t, "user"),
		Pools:     []Pool{{}},
	}, Submitted: Instant(rapid.IntRange(1, span).Draw(t, "submitted"))}
	return Waiting{Workload: w, Pool: Base, Key: KeyOf(w, 0, false), shape: rapid.IntRange(0, 3).Draw(t, "shape"), rest: rapid.SampledFrom([]Rest{Rested, Sparing, Resting}).Draw(t, "rest")}
}

func judgeQueue(t *rapid.T, a *Account, plain []*Waiting) {
	var firsts []uint64
	met := map[kind]bool{}
	for _, it := range plain {
		k := kind{shape: it.shape, rest: it.rest, holds: a.holdsFor(it.Workload)}
		if it.shape == 0 || !met[k] {
			firsts = append(firsts, it.Workload.ID)
		}
		met[k] = true
	}
	if got := idsOf(a.Firsts()); !slices.Equal(got, firsts) {
		t.Fatalf("firsts are %v, want %v", got, firsts)
	}
	if got := a.Queue(); len(got) != len(plain) || a.queue.all.size != len(plain) {
		t.Fatalf("%d units wait, want %d", len(got), len(plain))
	}
	for i, it := range a.Queue() {
		if it.Workload != plain[i].Workload {
			t.Fatalf("number %d is %d, want %d", i+1, it.Workload.ID, plain[i].Workload.ID)
		}
	}
	judgeFollowing(t, a, plain)
}

// judgeFollowing walks along each kind from its first, and asks for those not before a key.
func judgeFollowing(t *rapid.T, a *Account, plain []*Waiting) {
	for _, first := range a.Firsts() {
		var like, walked []uint64
		for _, it := range plain {
			if first.shape != 0 && it.shape == first.shape && it.rest == first.rest && a.holdsFor(it.Workload) == a.holdsFor(first.Workload) || it.Workload == first.Workload {
				like = append(like, it.Workload.ID)
			}
		}
		for it := first; it != nil; it = a.Following(it) {
			if from := a.FollowingFrom(first, it.Key); from != it {
				t.Fatalf("from the key of %d on comes %v", it.Workload.ID, from)
			}
			walked = append(walked, it.Workload.ID)
		}
		if !slices.Equal(like, walked) {
			t.Fatalf("like %d are %v, want %v", first.Workload.ID, walked, like)
		}
	}
}

func idsOf(list []*Waiting) []uint64 {
	var ids []uint64
	for _, it := range list {
		ids = append(ids, it.Workload.ID)
	}
	return ids
}
