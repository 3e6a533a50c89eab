package past

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Uptime is how much of the time of a cluster's work was work: not standing
// still, starting again, or undone since the last checkpoint. GPUs × time.
type Uptime struct {
	Held  int64 // by work on nodes
	Again int64 // asked for by interrupted work that waited to start again
	Still int64 // of Held, by gangs that stood still
	Undo  int64 // of Held, undone by interruptions
	// Evicted is the part of all that was lost that evictions took: room for other work. The
	// fleet does not owe it.
	Evicted int64
}

// Share is the uptime; 1 where no work ran.
func (u Uptime) Share() float64 {
	whole := u.Held + u.Again
	return ratio(max(0, whole-u.Lost()), whole)
}

// Lost is what was no work.
func (u Uptime) Lost() int64 { return u.Again + u.Still + u.Undo }

// Owed is what hardware and maintenance took: what a target is about.
func (u Uptime) Owed() int64 { return u.Lost() - u.Evicted }

// Burned is how much of a budget one cause has burned.
type Burned struct {
	Cause string
	GPUs  int64 // GPUs × time
	Count int   // failures repaired, or interruptions
}

// Attained is what a cluster attained of the things that have a target.
type Attained struct {
	Cluster   string
	Covered   Window
	Installed int64
	Down      int64 // GPUs × time that were not usable
	DownBy    []Burned
	Uptime    Uptime
	LostBy    []Burned
	Repair    Repair
	RepairBy  []Repair
}

// Attained lists the clusters of a scope.
func (b *Book) Attained(scope string, w Window, now int64) []Attained {
	of := map[string]*tally{}
	var list []Attained
	for _, h := range b.Health(scope, ByCluster, w, now) {
		of[h.Scope] = &tally{down: map[string]*Burned{}, lost: map[string]*Burned{}}
		list = append(list, Attained{Cluster: h.Scope, Covered: h.Covered, Installed: h.Installed, Down: h.Installed - h.Usable})
	}
	b.burned(of, w, now)
	repairs := b.Repairs(scope, ByCluster, true, w, now)
	for i := range list {
		t := of[list[i].Cluster]
		list[i].Uptime, list[i].DownBy, list[i].LostBy = t.uptime, ranked(t.down), ranked(t.lost)
		for _, r := range repairs {
			switch {
			case r.Scope != list[i].Cluster:
			case r.Cause == "":
				list[i].Repair = r
			default:
				list[i].RepairBy = append(list[i].RepairBy, r)
			}
		}
	}
	return list
}

// tally is what burned a cluster's budgets.
type tally struct {
	uptime     Uptime
	down, lost map[string]*Burned
}

func (b *Book) burned(of map[string]*tally, w Window, now int64) {
	for _, key := range slices.Sorted(maps.Keys(b.Losses)) {
		partition, cause := cut(key)
		t := of[ByCluster.Of(partition)]
		if t == nil {
			continue
		}
		v, _, _ := b.Losses[key].over(w.From, w.To, now)
		t.uptime.Again += v[lossAgain]
		t.uptime.Still += v[lossStill]
		t.uptime.Undo += v[lossUndone]
		if strings.HasPrefix(cause, causeEvicted) {
			t.uptime.Evicted += v[lossAgain] + v[lossStill] + v[lossUndone]
		}
		burn(t.down, cause, v[lossDown], 0)
		burn(t.lost, cause, v[lossAgain]+v[lossStill]+v[lossUndone], int(v[lossBroken]))
	}
	for _, key := range slices.Sorted(maps.Keys(b.Partitions)) {
		if t := of[ByCluster.Of(key)]; t != nil {
			v, _, _ := b.Partitions[key].over(w.From, w.To, now)
			t.uptime.Held += v[Held]
		}
	}
}

func burn(by map[string]*Burned, cause string, gpus int64, n int) {
	if gpus == 0 && n == 0 {
		return
	}
	if by[cause] == nil {
		by[cause] = &Burned{Cause: cause}
	}
	by[cause].GPUs += gpus
	by[cause].Count += n
}

// ranked lists causes, the one that burned most first.
func ranked(by map[string]*Burned) []Burned {
	list := make([]Burned, 0, len(by))
	for _, key := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[key])
	}
	slices.SortStableFunc(list, func(x, y Burned) int { return cmp.Compare(y.GPUs, x.GPUs) })
	return list
}
