package past

import (
	"cmp"
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
	for _, key := range sortedKeys(b.Losses) {
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
	for _, key := range sortedKeys(b.Partitions) {
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
	for _, key := range sortedKeys(by) {
		list = append(list, *by[key])
	}
	slices.SortStableFunc(list, func(x, y Burned) int { return cmp.Compare(y.GPUs, x.GPUs) })
	return list
}

// Usage is what a quota had in a partition over a window, in GPUs × time, and the
// highest usage at any moment of it in GPUs. Decisions read the highest use of the
// last 90 days, which the state keeps (fleet.Account.HighestUse); people ask for
// windows of their own choice, over years.
type Usage struct {
	Quota, Partition                  string
	Covered                           Window
	Assigned, Backed, Unbacked, Usage int64
	Peak                              int
}

// Usage lists the quotas under one, in order of partition and path; all for "".
func (b *Book) Usage(quota, scope string, w Window, now int64) []Usage {
	var list []Usage
	for _, key := range sortedKeys(b.Quotas) {
		partition, path := cut(key)
		if !under(path, quota) || !under(partition, scope) {
			continue
		}
		v, begin, end := b.Quotas[key].over(w.From, w.To, now)
		list = append(list, Usage{
			Quota: path, Partition: partition, Covered: Window{begin, end},
			Assigned: v[QuotaAssigned], Backed: v[QuotaBacked], Unbacked: v[QuotaUnbacked], Usage: v[QuotaUsage], Peak: int(v[QuotaPeak]),
		})
	}
	return list
}

// Waited is GPUs × time that work of one quota waited in one week for one reason.
type Waited struct {
	Week           int64 // its Monday; of what is older than two years, the month's first day
	Cluster, Quota string
	Code, Part     string
	GPUs           int64
}

// Waiting lists who waited for what, week by week.
func (b *Book) Waiting(cluster, quota string, w Window, now int64) []Waited {
	var list []Waited
	for _, key := range sortedKeys(b.Waited) {
		p := strings.Split(key, " ")
		if cluster != "" && p[0] != cluster || !under(p[1], quota) {
			continue
		}
		weeks := b.Waited[key].weeks(w, now)
		for _, week := range sortedWeeks(weeks) {
			if weeks[week] != 0 {
				list = append(list, Waited{Week: week, Cluster: p[0], Quota: p[1], Code: p[2], Part: p[3], GPUs: weeks[week]})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Waited) int { return cmp.Compare(x.Week, y.Week) })
	return list
}

func sortedWeeks(weeks map[int64]int64) []int64 {
	var list []int64
	for w := range weeks {
		list = append(list, w)
	}
	slices.Sort(list)
	return list
}

// weeks is the first column of a meter by week.
func (m *Meter) weeks(w Window, now int64) map[int64]int64 {
	sums := map[int64]int64{}
	for _, b := range m.Months {
		if b.From < w.To && nextMonth(b.From) > w.From {
			sums[b.From] += b.V[0]
		}
	}
	for _, b := range m.Days {
		if b.From < w.To && nextDay(b.From) > w.From {
			sums[startOfWeek(b.From)] += b.V[0]
		}
	}
	for at, end := max(w.From, m.At), min(w.To, now); at < end && m.Now[0] != 0; {
		next := min(end, startOfWeek(at)+7*day)
		sums[startOfWeek(at)] += m.Now[0] * (next - at)
		at = next
	}
	return sums
}
