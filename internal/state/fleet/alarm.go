package fleet

import (
	"container/heap"
	"slices"
)

// alarm is a moment at which a partition should be looked at again, because
// time alone may change a decision there.
type alarm struct {
	at        Instant
	partition *Partition
	of        alarmKind
}

// alarmKind says what time changes at that moment.
type alarmKind int

const (
	ofMetal  alarmKind = iota // probation, a dwell or a hold ends: the backing, and what waits for it
	ofAge                     // work is past its declared maximum: who gives way to whom
	ofFlex                    // flex work has run its minimum time
	ofRest                    // work that waits has rested
	ofHealth                  // a condition has lasted, or is over; a suspect may return
	ofOrder                   // an order to leave may be due again
	ofHour                    // an hour is over: a buffer policy that learns may allow another number
	ofVisit                   // planned work may go on; it is of no partition
)

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

// alarm asks for a look at the partition at a moment. Alarms are derived: a
// needless one costs a look and changes nothing.
func (s *State) alarm(p *Partition, at Instant, of alarmKind) {
	if at != Never {
		heap.Push(&s.alarms, alarm{at, p, of})
	}
}

// silence takes back one alarm that was asked for, if it is still to come. Which of several
// that are alike makes no difference.
func (s *State) silence(p *Partition, at Instant, of alarmKind) {
	if i := slices.Index(s.alarms, alarm{at, p, of}); i >= 0 {
		heap.Remove(&s.alarms, i)
	}
}

// NextAlarm is the next moment at which time alone may change something, or Never.
func (s *State) NextAlarm() Instant {
	at := s.nextLife()
	if len(s.alarms) > 0 {
		at = min(at, s.alarms[0].at)
	}
	return at
}

// Ring takes all alarms up to now, and marks their partitions as changed.
func (s *State) Ring(now Instant) {
	s.rise(now)
	for len(s.alarms) > 0 && s.alarms[0].at <= now {
		a := heap.Pop(&s.alarms).(alarm)
		if a.of == ofVisit {
			s.look = true // whose moment has come is known by rollout
			continue
		}
		s.lookAtRoom(a.partition) // whatever rings; a rollout's own moments are known by rollout
		a.partition.ring(a.of)
		if a.of == ofHour && a.partition.forecastAt == a.at {
			a.partition.forecastAt = 0
			a.partition.forecasting(now)
		}
	}
}

// Hush takes all alarms up to a moment as heard: in a copy whose original has looked
// then, and has written down what came of it.
func (s *State) Hush(now Instant) {
	s.rise(now)
	for len(s.alarms) > 0 && s.alarms[0].at <= now {
		a := heap.Pop(&s.alarms).(alarm)
		if a.of == ofHour && a.partition.forecastAt == a.at {
			a.partition.forecastAt = 0
			a.partition.forecasting(now)
		}
	}
}

// forecasting asks for a look at the next full hour, if a policy in force here
// learns from the past.
func (p *Partition) forecasting(now Instant) {
	if p.forecastAt != 0 || p.state.unlearning {
		return
	}
	for i := range p.Islands {
		if p.state.BufferFor(p, i).Learns() {
			p.forecastAt = (HourOf(now) + 1).Begins()
			p.state.alarm(p, p.forecastAt, ofHour)
			return
		}
	}
}

func (p *Partition) ring(of alarmKind) {
	switch of {
	case ofMetal:
		p.unalign()
		p.openUp()
	case ofHour:
		p.unalign()
	case ofAge:
		p.changes.Ages++
		p.openUp()
	case ofHealth:
		p.Diagnose()
	case ofFlex:
		p.changes.Minimum++
		p.Touch()
	case ofRest:
		p.Touch() // what has rested is asked again: see rise
	case ofOrder:
		p.expired = true
		p.Touch()
	default: // ofVisit is of no partition
	}
}

// StopLearning is for a copy in which a future is imagined: buffer policies allow
// there what they allow now, for an hour that has not passed teaches
// nothing, and looks at full hours would never end.
func (s *State) StopLearning() {
	s.unlearning = true
	s.alarms = slices.DeleteFunc(s.alarms, func(a alarm) bool { return a.of == ofHour })
	heap.Init(&s.alarms)
	for _, p := range s.Partitions {
		p.forecastAt = 0
	}
}

// LearningStopped says whether StopLearning was called.
func (s *State) LearningStopped() bool { return s.unlearning }
