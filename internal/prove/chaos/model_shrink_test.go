package chaos_test

import (
	"flag"
	"fmt"
	"strings"
	"time"
)

// replay plays a script from the beginning; it says where and how it breaks.
func replay(script []step, every sampling, laws ...law) *failure {
	w := newWorld(every, laws...)
	for _, st := range script {
		if f := w.play(st); f != nil {
			return f
		}
	}
	return nil
}

var shrinkFlag = flag.Duration("shrink", 15*time.Second, "how long a script that breaks a rule is made smaller")

// questionsFor are those that find a rule broken: while a script is made smaller,
// the others would only take time.
func questionsFor(rule string, laws []law) (sampling, []law) {
	switch rule {
	case "deciding again changes nothing":
		return sampling{idle: 1}, nil
	case "no GPU is held twice on the clusters", "a restarted process decides the same", "evictions come to an end",
		"a healed fleet comes to rest", "at rest work runs or waits", "at rest the clusters run what the state says", "no panic":
		return sampling{}, nil
	}
	return everything, laws
}

// shrink leaves lines out of a script as long as it breaks the same rule.
func shrink(script []step, rule string, laws ...law) ([]step, *failure) {
	best := append([]step(nil), script...)
	every, laws := questionsFor(rule, laws)
	last := replay(best, every, laws...)
	if last == nil || last.rule != rule {
		return script, nil
	}
	best = best[:last.at]
	end := time.Now().Add(*shrinkFlag)
	for size := len(best) / 2; size > 0 && time.Now().Before(end); {
		smaller := false
		for from := 0; from+size <= len(best) && time.Now().Before(end); {
			tried := append(append([]step(nil), best[:from]...), best[from+size:]...)
			if from+size < len(best) {
				tried[from].after += sumAfter(best[from : from+size])
			}
			if f := replay(tried, every, laws...); f != nil && f.rule == rule {
				best, last, smaller = tried[:f.at], f, true
				continue
			}
			from += size
		}
		if !smaller || size > len(best)/2 {
			size /= 2
		}
	}
	return best, last
}

func sumAfter(lines []step) (t time.Duration) {
	for _, st := range lines {
		t += st.after
	}
	return t
}

// smallest prints a broken run, made as small as it can be.
func smallest(seed int64, script []step, f *failure, laws ...law) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %v\n", seed, f)
	small, again := shrink(script, f.rule, laws...)
	if again != nil {
		f = again
		fmt.Fprintf(&b, "shrunk to %d lines: %v\n", len(small), f)
	}
	for i, st := range small {
		fmt.Fprintf(&b, "  %3d %v\n", i+1, st)
	}
	fmt.Fprintf(&b, "the last line led to%s\n", recordsText(f.told))
	return b.String()
}
