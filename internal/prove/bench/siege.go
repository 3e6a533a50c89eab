package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/siege"
)

// A siege as large as the fleet's own people and programs.
const (
	besiegedPeople   = 200
	besiegedPrograms = 50
	usualSiege       = time.Minute
)

// Hostile is the hostile caller of a siege, which who measures starts as a process of its own.
func Hostile(ctx context.Context, address string, in io.Reader, out io.Writer) error {
	return siege.Hostile(ctx, address, in, out)
}

// besieged measures what one hostile caller costs all others.
func besieged(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "siege", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	if o.Program == "" {
		r.remark("Left out: the program to start is not known.")
		return r, nil
	}
	lasts := cmp.Or(o.Lasts, usualSiege)
	if o.Quick {
		lasts /= 10
	}
	r.Recipe = fmt.Sprintf("a server of 1,000 nodes with a tokens file, as a process of its own; %d people with pages open, which renew themselves, and %d programs that submit and cancel "+
		"a workload a second, for %s; then the same beside one hostile caller with an ordinary token, who does at once all that is known to be costly. People and programs run on the same machine in one other process, and the hostile caller in a third, which gives way to the others: where both want a processor, it has a tenth", besiegedPeople, besiegedPrograms, lasts)
	is, err := siege.Run(ctx, siege.Options{
		Program: o.Program, Dir: o.Dir, Lasts: lasts, People: o.scaled(besiegedPeople), Submitters: o.scaled(besiegedPrograms),
		Progress: func(what string) { o.say("%s", what) },
	})
	if err != nil {
		return r, err
	}
	r.single(is.Singles)
	r.sides(is)
	r.verdict()
	return r, nil
}

// verdict says in one line whether all aims are met, and which are not.
func (r *Report) verdict() {
	var missed []string
	of := "" // what a figure that begins with … is of
	for _, f := range r.Figures {
		name, more := strings.CutPrefix(f.Name, "…")
		if !more {
			of = f.Name
		}
		if f.Aim != "" && !f.Met {
			if more {
				name = of + name
			}
			missed = append(missed, fmt.Sprintf("%s (%s)", name, f.Aim))
		}
	}
	if len(missed) == 0 {
		r.remark("Verdict: all aims are met.")
		return
	}
	r.remark("Verdict: not met: %s.", strings.Join(missed, "; "))
}

// single adds what the requests cost that were sent alone.
func (r *Report) single(list []siege.Single) {
	slowest, largest, answer := siege.Single{}, siege.Single{}, siege.Single{}
	for _, one := range list {
		if one.Status != 200 && one.Took > slowest.Took {
			slowest = one
		}
		if one.Memory > largest.Memory {
			largest = one
		}
		if one.Answer > answer.Answer {
			answer = one
		}
	}
	r.add(aimed(Figure{Name: "one request alone, the longest that is refused: " + slowest.Name, Value: ms(slowest.Took), Unit: "ms"}, "≤ 1,000 ms", slowest.Took <= time.Second))
	r.add(aimed(Figure{Name: "… the most memory: " + largest.Name, Value: float64(largest.Memory >> 20), Unit: "MB"}, "≤ 64 MB", largest.Memory <= 64<<20))
	r.add(aimed(Figure{Name: "… the largest answer: " + answer.Name, Value: float64(answer.Answer) / 1000, Unit: "kB"}, "≤ 1 MB", answer.Answer <= 1_000_000))
	for _, one := range list {
		r.remark("%s: %d bytes, answered with %d and %d bytes in %.0f ms, %d MB.", one.Name, one.Bytes, one.Status, one.Answer, ms(one.Took), one.Memory>>20)
	}
}

// sides adds what others waited, without and beside the foe.
func (r *Report) sides(is siege.Result) {
	for _, what := range slices.Sorted(maps.Keys(is.Without.Waits)) {
		calm, busy := is.Without.Waits[what], is.Beside.Waits[what]
		r.add(Figure{Name: what + ", p50", Value: ms(calm.P50), Unit: "ms"})
		r.add(beside(Figure{Name: "… beside the foe", Value: ms(busy.P50), Unit: "ms"}, over(busy.P50, calm.P50), "without"))
		r.add(Figure{Name: what + ", p99", Value: ms(calm.P99), Unit: "ms"})
		r.add(aimed(beside(Figure{Name: "… beside the foe", Value: ms(busy.P99), Unit: "ms"}, over(busy.P99, calm.P99), "without"), "≤ 2 × without", busy.P99 <= 2*calm.P99))
	}
	r.add(Figure{Name: "calls of others that failed", Value: total(is.Without.Failed), Unit: "calls"})
	r.add(aimed(Figure{Name: "… beside the foe", Value: total(is.Beside.Failed), Unit: "calls"}, "0", len(is.Beside.Failed) == 0))
	for _, how := range slices.Sorted(maps.Keys(is.Beside.Failed)) {
		r.remark("Failed beside the foe: %s, %d times.", how, is.Beside.Failed[how])
	}
	more := is.Beside.Memory - is.Without.Memory
	r.add(Figure{Name: "memory of the server, the most", Value: float64(is.Without.Memory >> 20), Unit: "MB"})
	r.add(aimed(Figure{Name: "… more beside the foe", Value: float64(more >> 20), Unit: "MB"}, "≤ 300 MB", more <= 300<<20))
	r.add(Figure{Name: "cores of the server", Value: is.Without.Cores, Unit: "cores"})
	r.add(Figure{Name: "… beside the foe", Value: is.Beside.Cores, Unit: "cores"})
	r.add(Figure{Name: "cores of the people and programs", Value: is.Without.CrowdCores, Unit: "cores"})
	r.add(Figure{Name: "… beside the foe", Value: is.Beside.CrowdCores, Unit: "cores"})
	r.add(Figure{Name: "cores of the foe's own process", Value: is.Beside.FoeCores, Unit: "cores"})
	var words []string
	for _, status := range slices.Sorted(maps.Keys(is.Foe)) {
		words = append(words, fmt.Sprintf("%s: %d", status, is.Foe[status]))
	}
	r.remark("The foe's calls, by the status of their answers: %s.", strings.Join(words, ", "))
}

func total(counts map[string]int) (n float64) {
	for _, k := range counts {
		n += float64(k)
	}
	return n
}

func over(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
