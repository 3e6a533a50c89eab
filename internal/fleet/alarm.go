package fleet

import "container/heap"

// alarm is a moment at which a partition should be looked at again, because
// time alone may change a decision there.
type alarm struct {
	at        Instant
	partition *Partition
}

type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)        { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any {
	old := *a
	x := old[len(old)-1]
	*a = old[:len(old)-1]
	return x
}

// Alarm asks for a look at the partition at a moment. Alarms are derived: a
// needless one costs a look and changes nothing.
func (s *State) Alarm(p *Partition, at Instant) {
	if at != Never {
		heap.Push(&s.alarms, alarm{at, p})
	}
}

// NextAlarm is the next moment at which time alone may change something, or Never.
func (s *State) NextAlarm() Instant {
	if len(s.alarms) == 0 {
		return Never
	}
	return s.alarms[0].at
}

// Ring takes all alarms up to now, and marks their partitions as changed.
func (s *State) Ring(now Instant) {
	for len(s.alarms) > 0 && s.alarms[0].at <= now {
		a := heap.Pop(&s.alarms).(alarm)
		a.partition.aged++
		a.partition.Unalign()
		a.partition.Freed()
	}
}
