package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// measured is one sample of docs/figures/compare.json, as internal/prove/compare writes it.
type measured struct {
	Task   string
	Way    string
	All    float64 `json:"all_running"` // seconds until the last pod ran
	Failed string
}

// The words of the picture, by the words of the file.
var (
	comparedTasks = []struct{ key, name string }{
		{"jobs", "1,000 one-pod Jobs"},
		{"gang", "A gang of 500"},
		{"reclaim", "20 gangs of 32, for which 16 gangs must leave"},
		{"consolidate", "A gang of 250 nodes, among 500 that are half full"},
	}
	comparedWays = []struct {
		key, name string
		ink       draw.Ink
	}{
		{"muster-direct", "Muster, binds by itself", draw.Quota},
		{"muster-scheduler", "Muster, through kube-scheduler", draw.Quota},
		{"kube", "kube-scheduler", draw.Metal},
		{"kube-gang", "kube-scheduler, its own gangs", draw.Metal},
		{"kueue", "Kueue", draw.Metal},
		{"volcano", "Volcano", draw.Metal},
		{"kai", "KAI-Scheduler", draw.Metal},
	}
)

// bar is one way's time for a task; without a time it did not do it.
type bar struct {
	name    string
	ink     draw.Ink
	seconds float64
}

// compared draws how long each task took in each way, the fastest first.
func compared(docs string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(docs, "figures", "compare.json"))
	if err != nil {
		return nil, err
	}
	var is struct{ Samples []measured }
	if err := json.Unmarshal(data, &is); err != nil {
		return nil, err
	}
	c := newCanvas(900, 0, "Seconds until all pods of a task run, by the scheduler")
	y := 32
	for _, t := range comparedTasks {
		if bars := barsOf(is.Samples, t.key); len(bars) > 0 {
			c.text("head", 20, y, t.name)
			y = c.bars(bars, y+14) + 36
		}
	}
	c.h = max(y-20, 40)
	return c.done(), nil
}

// barsOf are the ways of a task: the fastest first, those that did not do it last.
func barsOf(samples []measured, task string) (bars []bar) {
	for _, w := range comparedWays {
		var times []float64
		tried := false
		for _, s := range samples {
			if s.Task == task && s.Way == w.key {
				tried = true
				if s.Failed == "" {
					times = append(times, s.All)
				}
			}
		}
		if tried {
			bars = append(bars, bar{w.name, w.ink, middle(times)})
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int {
		if (a.seconds == 0) != (b.seconds == 0) {
			return cmp.Compare(b.seconds, a.seconds)
		}
		return cmp.Compare(a.seconds, b.seconds)
	})
	return bars
}

// middle is the median; 0 of none.
func middle(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// bars draws bars below one another, and says where they end.
func (c *canvas) bars(list []bar, y int) int {
	const from, most, row = 270, 540, 26
	longest := 0.0
	for _, b := range list {
		longest = max(longest, b.seconds)
	}
	for _, b := range list {
		c.text("quiet", 20, y+15, b.name)
		if b.seconds == 0 {
			c.text("quiet", from, y+15, "not within the time given")
		} else {
			long := max(2, int(b.seconds/longest*most))
			c.box(b.ink, from, y+2, long, row-8)
			c.text("says", from+long+8, y+15, fmt.Sprintf("%.1f s", b.seconds))
		}
		y += row
	}
	return y
}
