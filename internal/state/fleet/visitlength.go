package fleet

import (
	"slices"
	"time"
)

// Length is how long the latest visits took that brought one component to nodes of a GPU model (maintenance §6).
type Length struct {
	GPU       string          `json:"gpu"`
	Component string          `json:"component"`
	Took      []time.Duration `json:"took"` // in order of their ends; replaced, never changed in place
	P50       time.Duration   `json:"p50"`
	P90       time.Duration   `json:"p90"`
}

// So many visits replace what an update says of its length, and so many of the latest are kept.
const (
	enoughLengths = 10
	mostLengths   = 50
)

// Enough says whether as many visits were measured as replace what an update says.
func (l *Length) Enough() bool { return len(l.Took) >= enoughLengths }

// Length is how long visits took that brought a component to a GPU model; false: too few were measured.
func (m *Measured) Length(gpu, component string) (Length, bool) {
	for i := range m.Lengths {
		if l := &m.Lengths[i]; l.Component == component && l.GPU == gpu {
			return *l, l.Enough()
		}
	}
	return Length{}, false
}

// LastsOn is how long an update takes on a node of a GPU model: what nine of ten visits kept to, where enough were measured, or
// what it says.
func (m *Maintained) LastsOn(u *NodeUpdate, gpu string) time.Duration {
	if l, ok := m.Measured.Length(gpu, u.Component.Name); ok {
		return l.P90
	}
	return u.Lasts
}

// measure keeps how long the work of a visit took that has gone well. A visit of several
// components is left out: how it divides among them was not seen. It says whether visits are planned with another length now.
func (m *Maintained) measure(gpu string, was, v Visit) bool {
	if was.State != VisitWorking || v.State != VisitChecking && v.State != VisitDone || len(v.Brings) != 1 || v.Since <= was.Since {
		return false
	}
	at := slices.IndexFunc(m.Measured.Lengths, func(l Length) bool { return l.GPU == gpu && l.Component == v.Brings[0].Name })
	if at < 0 {
		at = len(m.Measured.Lengths)
		m.Measured.Lengths = append(m.Measured.Lengths, Length{GPU: gpu, Component: v.Brings[0].Name})
	}
	l := &m.Measured.Lengths[at]
	planned := *l
	l.add(v.Since.Sub(was.Since))
	return l.Enough() && (!planned.Enough() || planned.P90 != l.P90)
}

// add counts one more visit. Lengths are told in whole minutes, and anew once they are off by more than a tenth: all rollouts
// are looked at again when a length changes that they are planned with.
func (l *Length) add(took time.Duration) {
	enough := l.Enough()
	from := max(0, len(l.Took)+1-mostLengths)
	l.Took = append(slices.Clone(l.Took[from:]), took)
	sorted := slices.Sorted(slices.Values(l.Took))
	if p50, p90 := minutes(percentile(sorted, 50)), minutes(percentile(sorted, 90)); !enough || offByATenth(l.P50, p50) || offByATenth(l.P90, p90) {
		l.P50, l.P90 = p50, p90
	}
}

// offByATenth says whether a length that was told differs from what is measured by more than a tenth of it.
func offByATenth(told, is time.Duration) bool { return 10*(told-is).Abs() > told }

// percentile is the smallest of some lengths, in order, that so many of a hundred do not exceed.
func percentile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

// minutes rounds up to whole minutes. What is shorter than one stays as it is.
func minutes(d time.Duration) time.Duration {
	if d < time.Minute {
		return d
	}
	return (d + time.Minute - 1).Truncate(time.Minute)
}
