package chaos_test

import (
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

// shrinkFor bounds how long a script is made smaller.
const shrinkFor = 15 * time.Second

// shrink leaves lines out of a script as long as it breaks the same rule.
func shrink(script []step, rule string, laws ...law) ([]step, *failure) {
	best := append([]step(nil), script...)
	last := replay(best, everything, laws...)
	if last == nil || last.rule != rule {
		return script, nil
	}
	best = best[:last.at]
	end := time.Now().Add(shrinkFor)
	for size := len(best) / 2; size > 0 && time.Now().Before(end); {
		smaller := false
		for from := 0; from+size <= len(best) && time.Now().Before(end); {
			tried := append(append([]step(nil), best[:from]...), best[from+size:]...)
			if from+size < len(best) {
				tried[from].after += sumAfter(best[from : from+size])
			}
			if f := replay(tried, everything, laws...); f != nil && f.rule == rule {
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
