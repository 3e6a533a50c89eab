package past

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Uptime splits the time of a cluster's work into what was of use and what was lost. All
// figures are GPUs × milliseconds; Hours makes GPU-hours of them.
type Uptime struct {
	Held       int64 // by work on nodes, of use or not
	Restarting int64 // asked for by interrupted work that waited to start again; it held nothing meanwhile
	Stalled    int64 // of Held: by gangs that stood still until they were mended
	Undone     int64 // of Held: work since the last checkpoint that an interruption undid
	Evicted    int64 // of the three above: what evictions cost, which made room for other work
}

// Share is the part of the time that was of use; 1 where no work ran.
func (u Uptime) Share() float64 {
	return ratio(max(0, u.Wanted()-u.Lost()), u.Wanted())
}

// Wanted is the time that work held GPUs, or would have had it not been interrupted.
func (u Uptime) Wanted() int64 { return u.Held + u.Restarting }

// Lost is the time that was of no use.
func (u Uptime) Lost() int64 { return u.Restarting + u.Stalled + u.Undone }

// Owed is the part of Lost that a target is about: failures and maintenance took it.
// The fleet does not owe what evictions took.
func (u Uptime) Owed() int64 { return u.Lost() - u.Evicted }

// Burned is how much of a target's budget one cause has used up.
type Burned struct {
	Cause string
	GPUs  int64 // GPUs × milliseconds
	Count int   // interruptions by this cause; 0 for time out of service
}

// Attained is what a cluster attained of the things that have a target: availability,
// uptime and time to repair. GPU figures are GPUs × milliseconds.
type Attained struct {
	Cluster   string
	Covered   Window
	Installed int64
	Down      int64    // of Installed: not usable
	DownBy    []Burned // by cause, the largest first
	Uptime    Uptime
	LostBy    []Burned // Uptime.Lost by cause, the largest first
	Repair    Repair   // over all causes
	RepairBy  []Repair // cause by cause, the one that took longest in all first
}

// Attained lists the clusters of a scope ("": all of them) with what each attained in a window.
func (b *Book) Attained(scope string, w Window, now int64) []Attained {
	budgets := map[string]*spending{}
	var list []Attained
	for _, h := range b.Health(scope, ByCluster, w, now) {
		budgets[h.Scope] = &spending{down: map[string]*Burned{}, lost: map[string]*Burned{}}
		list = append(list, Attained{Cluster: h.Scope, Covered: h.Covered, Installed: h.Installed, Down: h.Installed - h.Usable})
	}
	b.addLosses(budgets, w, now)
	b.addHeld(budgets, w, now)
	repairs := b.Repairs(scope, ByCluster, true, w, now)
	for i := range list {
		a := &list[i]
		t := budgets[a.Cluster]
		a.Uptime, a.DownBy, a.LostBy = t.uptime, ranked(t.down), ranked(t.lost)
		a.addRepairs(repairs)
	}
	return list
}

// addRepairs takes the repairs of its own cluster out of those of all.
func (a *Attained) addRepairs(all []Repair) {
	for _, r := range all {
		switch {
		case r.Scope != a.Cluster:
		case r.Cause == "":
			a.Repair = r
		default:
			a.RepairBy = append(a.RepairBy, r)
		}
	}
	slices.SortStableFunc(a.RepairBy, func(x, y Repair) int { return cmp.Compare(y.spent(), x.spent()) })
}

// spent is the time that all repairs of a row took together, in milliseconds.
func (r Repair) spent() int64 { return r.Total.Mean * int64(r.Repaired) }

// spending is what used up a cluster's budgets, by cause.
type spending struct {
	uptime     Uptime
	down, lost map[string]*Burned
}

// addLosses adds what each cause cost, to the budgets of the clusters that are asked about.
func (b *Book) addLosses(budgets map[string]*spending, w Window, now int64) {
	for _, key := range slices.Sorted(maps.Keys(b.Losses)) {
		partition, cause := cut(key)
		t := budgets[ByCluster.Of(partition)]
		if t == nil {
			continue
		}
		v, _, _ := b.Losses[key].over(w.From, w.To, now)
		lost := v[lossAgain] + v[lossStill] + v[lossUndone]
		t.uptime.Restarting += v[lossAgain]
		t.uptime.Stalled += v[lossStill]
		t.uptime.Undone += v[lossUndone]
		if strings.HasPrefix(cause, causeEvicted) {
			t.uptime.Evicted += lost
		}
		burn(t.down, cause, v[lossDown], 0)
		burn(t.lost, cause, lost, int(v[lossBroken]))
	}
}

// addHeld adds the time for which work held GPUs.
func (b *Book) addHeld(budgets map[string]*spending, w Window, now int64) {
	for _, key := range slices.Sorted(maps.Keys(b.Partitions)) {
		if t := budgets[ByCluster.Of(key)]; t != nil {
			v, _, _ := b.Partitions[key].over(w.From, w.To, now)
			t.uptime.Held += v[Held]
		}
	}
}

// burn charges a cause with GPUs × milliseconds and with n interruptions.
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

// ranked lists causes, the one that used up the most first; equal ones by name.
func ranked(by map[string]*Burned) []Burned {
	list := make([]Burned, 0, len(by))
	for _, key := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[key])
	}
	slices.SortStableFunc(list, func(x, y Burned) int { return cmp.Compare(y.GPUs, x.GPUs) })
	return list
}
