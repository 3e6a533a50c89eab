package buildout

import (
	"math"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Samples is how many past clusters it takes until they, and no more the blueprint's
// guess, say how long a condition takes.
const Samples = 5

// checkinGuess is how long a person takes to check a cluster in, where nothing is known.
const checkinGuess = 24 * time.Hour

// watchGuess is how long a step takes that is only looked at, every few minutes, where the
// blueprint does not say.
const watchGuess = 10 * time.Minute

// span is how long a condition takes from its turn on.
type span struct {
	p50, p90 time.Duration
	known    bool
}

// pace is what past clusters, or the blueprint, say of a condition.
func (k *look) pace(t fleet.ConditionType) span {
	if k.observed.Pace != nil {
		if list := k.observed.Pace(t); len(list) >= Samples {
			return span{quantile(list, 50), quantile(list, 90), true}
		}
	}
	return k.guess(t)
}

// quantile is the smallest value that at least so many of a hundred do not exceed.
func quantile(list []time.Duration, percent int) time.Duration {
	return list[(len(list)*percent+99)/100-1]
}

// guess is the blueprint's. It is taken as the median; the p90 is half as much again. It says nothing
// of what a cloud grants, of when work ends, and of when a person lets machines go.
func (k *look) guess(t fleet.ConditionType) span {
	if k.blueprint == nil || t == fleet.QuotaAvailable || t == fleet.WorkEnded || t == fleet.RemovalConfirmed {
		return span{}
	}
	var took time.Duration
	switch {
	case t == fleet.CheckedIn && k.blueprint.Takes[fleet.StepCheckin] > 0:
		took = k.blueprint.Takes[fleet.StepCheckin]
	case t == fleet.CheckedIn && k.blueprint.Checkin != fleet.CheckinInventory:
		took = checkinGuess
	}
	for _, w := range ways {
		if w.condition == t {
			took = k.blueprint.Takes[w.step]
			if w.acts && took == 0 {
				return span{}
			}
			if !w.acts && took == 0 {
				took = watchGuess
			}
		}
	}
	return span{took, took + took/2, true}
}

// expect is when a condition is to be expected that is missing, and whose turn it is.
func (k *look) expect(t fleet.ConditionType) Expect {
	turn := k.now
	if was, ok := k.life.Condition(t); ok && was.Status != fleet.StatusTrue && was.Turn != 0 {
		turn = was.Turn
		if was.Took != 0 { // it held before: the time counts from when it fell
			turn = was.Since
		}
	}
	p := k.pace(t)
	if !p.known || t == fleet.SpecValid { // a record mends itself at no time
		return Expect{}
	}
	return Expect{turn.Add(p.p50), turn.Add(p.p90), turn.Add(p.p90) < k.now}
}

// LateAt is when a condition that a cluster waits for becomes late, as past clusters
// have it now; fleet.Never: it is not waited for, is known to be late, or cannot be judged.
func LateAt(l *fleet.Life, b *fleet.Blueprint, o Observed, t fleet.ConditionType, now fleet.Instant) fleet.Instant {
	was, ok := l.Condition(t)
	if !ok || was.Status == fleet.StatusTrue || was.Turn == 0 || was.Late != 0 {
		return fleet.Never
	}
	k := &look{life: l, blueprint: b, observed: o, now: now}
	if e := k.expect(t); e.P90 != 0 {
		return e.P90 + 1
	}
	return fleet.Never
}

// ahead is how long from now something takes: its median, and the variance around it
// in squared seconds. The p90 of a normal spread is 1.2816 deviations above its median.
type ahead struct {
	median   time.Duration
	variance float64
	known    bool
}

// Past clusters say when another is in production once there are so many of them, and so many
// that had not come further by then.
const (
	fewestPast = 10
	fewestLeft = 4
)

// byPast is when the cluster is to be expected in production as past ones had it: those that,
// as long after the same condition as now, were not there yet either.
func (k *look) byPast() (Expect, bool) {
	if k.life.Course.Produced != 0 {
		return Expect{}, false
	}
	var latest fleet.ClusterCondition // to hold: the cluster's last progress
	for _, c := range k.verdict.Conditions {
		if was, ok := k.life.Condition(c.Type); ok && c.Holds() && was.Took != 0 && was.Turn.Add(was.Took) >= latest.Turn.Add(latest.Took) {
			latest = was
		}
	}
	if latest.Took == 0 {
		return Expect{}, false
	}
	since := latest.Turn.Add(latest.Took)
	all := k.observed.Lead(latest.Type)
	at, _ := slices.BinarySearch(all, k.of.Sub(since)+1)
	left := all[at:]
	if len(all) < fewestPast || len(left) < fewestLeft {
		return Expect{}, false
	}
	return Expect{P50: since.Add(next(left, 50)), P90: since.Add(next(left, 90))}, true
}

// asOf is the moment that "in production by" is of. While a person is waited for nothing
// that happens moves it: it is of when they were asked, and is late once it is past.
func (k *look) asOf() fleet.Instant {
	of := k.now
	for _, c := range k.verdict.Conditions {
		if was, ok := k.life.Condition(c.Type); ok && c.Turn && c.Person && was.Person && was.Asked != 0 {
			of = min(of, was.Asked)
		}
	}
	return of
}

// next is the value that another draw does not exceed so many times of a hundred, by those
// that were seen: of n values the k-th bounds k of n+1.
func next(list []time.Duration, percent int) time.Duration {
	return list[min(len(list), ((len(list)+1)*percent+99)/100)-1]
}

// inProduction is when the cluster is to be expected in production: as past clusters were, or
// else by the steps that are left.
func (k *look) inProduction() Expect {
	k.of = k.asOf()
	if k.life.Course.Produced != 0 && k.life.Course.Generation == k.life.Generation {
		return Expect{}
	}
	e, known := k.byPast()
	if !known {
		e = k.bySteps()
	}
	e.Late = e.P90 != 0 && e.P90 < k.now
	return e
}

// bySteps is the longest way through the conditions that are missing.
func (k *look) bySteps() Expect {
	ends, last := map[fleet.ConditionType]ahead{}, ahead{known: true}
	for _, c := range k.verdict.Conditions {
		from := ahead{known: true}
		for _, t := range k.needs(c.Type) {
			from = later(from, ends[t])
		}
		ends[c.Type] = k.from(from, c)
		last = later(last, ends[c.Type])
	}
	if !last.known {
		return Expect{}
	}
	p90 := last.median + time.Duration(1.2816*math.Sqrt(last.variance)*float64(time.Second))
	return Expect{P50: k.of.Add(last.median), P90: k.of.Add(p90)}
}

// needs lists what a condition waits for.
func (k *look) needs(t fleet.ConditionType) []fleet.ConditionType {
	switch t {
	case fleet.QuotaAvailable:
		return []fleet.ConditionType{fleet.SpecValid}
	case fleet.CheckedIn:
		return []fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable}
	default:
	}
	for _, w := range ways {
		if w.condition == t {
			return k.before(w)
		}
	}
	return nil
}

// from adds what is left of a condition to the end of those before it.
func (k *look) from(begin ahead, c Condition) ahead {
	if c.Holds() {
		return ahead{known: true}
	}
	p := k.pace(c.Type)
	left := p.p50
	if c.Turn && c.Expect.P50 != 0 {
		left = max(0, c.Expect.P50.Sub(k.of))
	}
	deviation := (p.p90 - p.p50).Seconds() / 1.2816
	return ahead{begin.median + left, begin.variance + deviation*deviation, begin.known && p.known}
}

func later(a, b ahead) ahead {
	known := a.known && b.known
	if b.median > a.median || b.median == a.median && b.variance > a.variance {
		a = b
	}
	a.known = known
	return a
}
