package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
)

// sample is one measurement. Times are in seconds, from when a pod's Job was asked for.
type sample struct {
	Task       string  `json:"task"`
	Way        string  `json:"way"`
	Pods       int     `json:"pods"`             // that ran
	All        float64 `json:"all_running"`      // from the first Job until the last pod ran
	AllBound   float64 `json:"all_bound"`        // from the first Job until the last pod was bound
	Bound      float64 `json:"bound_mean"`       // mean until bound
	BoundP99   float64 `json:"bound_p99"`        // 99 of 100 were bound by then
	Running    float64 `json:"running_mean"`     // mean until running
	RunningP99 float64 `json:"running_p99"`      // 99 of 100 ran by then
	Server     float64 `json:"api_server_cpu"`   // the API server's processor time, in seconds
	Scheduler  float64 `json:"scheduler_cpu"`    // that of all programs that schedule
	Memory     int     `json:"scheduler_memory"` // the most that these had, in bytes
	Wrote      writes  `json:"writes"`           // all writes that the API server answered
	Load       float64 `json:"load"`             // of the machine, before
	Failed     string  `json:"failed,omitempty"`
}

func (s sample) String() string {
	if s.Failed != "" {
		return "FAILED: " + s.Failed
	}
	wrote, events := s.Wrote.sum()
	return fmt.Sprintf("all run after %5.1f s (bound: mean %5.2f, p99 %5.2f; running: %5.2f, %5.2f); API server %5.1f s, %d writes (%d events); scheduler %4.1f s, %d MiB; load %.1f",
		s.All, s.Bound, s.BoundP99, s.Running, s.RunningP99, s.Server, wrote, events, s.Scheduler, s.Memory>>20, s.Load)
}

// results are all samples that are kept, and what was measured.
type results struct {
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"` // by way
	Samples  []sample          `json:"samples"`

	anew map[[2]string]bool // tasks and ways that were measured now
}

// readResults reads what was kept; nothing is there the first time.
func readResults(file string) (r results, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}

func (r results) write(file string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o600)
}

// add takes a sample in. The first of a task by a way replaces those of earlier days.
func (r *results) add(s sample) {
	key := [2]string{s.Task, s.Way}
	if !r.anew[key] {
		r.Samples = slices.DeleteFunc(r.Samples, func(old sample) bool { return old.Task == s.Task && old.Way == s.Way })
	}
	if r.anew == nil {
		r.anew = map[[2]string]bool{}
	}
	r.anew[key] = true
	r.Samples = append(r.Samples, s)
}

func (r *results) versions(way, is string) {
	if r.Versions == nil {
		r.Versions = map[string]string{}
	}
	r.Versions[way] = is
}

// of are the samples of a task by a way.
func (r results) of(task, way string) (list []sample) {
	for _, s := range r.Samples {
		if s.Task == task && s.Way == way {
			list = append(list, s)
		}
	}
	return list
}

// middle is the median of a figure of samples that did not fail.
func middle(list []sample, figure func(s sample) float64) float64 {
	var all []float64
	for _, s := range list {
		if s.Failed == "" {
			all = append(all, figure(s))
		}
	}
	return median(all)
}

// median is the middle one; of an even number the mean of the two in the middle, and of none 0.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// ranked are the ways in which a task was measured: the fastest first, those that failed last.
func (r results) ranked(t task) (list []way) {
	for _, w := range ways {
		if len(r.of(t.key, w.key)) > 0 {
			list = append(list, w)
		}
	}
	speed := func(w way) float64 {
		if ran := succeeded(r.of(t.key, w.key)); len(ran) > 0 {
			return middle(ran, allRunning)
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(list, func(a, b way) int { return cmp.Compare(speed(a), speed(b)) })
	return list
}
