package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// table is the table of docs/compare.md: for each task its ways, the fastest first.
func (r results) table() string {
	var b strings.Builder
	for _, t := range tasks {
		rows := r.rows(t)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "**%s**\n\n", t.title())
		b.WriteString("| | all run after | bound: mean, p99 | running: mean, p99 | API server's CPU | writes a pod (events) | schedulers' CPU, memory | runs, load |\n")
		b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
		for _, row := range rows {
			b.WriteString(row)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Medians; measured on %s.\n", r.Machine)
	return b.String()
}

func (t task) title() string { return strings.ToUpper(t.name[:1]) + t.name[1:] }

// rows are the lines of a task, the fastest way first and those that failed last.
func (r results) rows(t task) (lines []string) {
	base := middle(r.of(t.key, ways[0].key), allRunning)
	for _, w := range r.ranked(t) {
		list := r.of(t.key, w.key)
		lines = append(lines, line(w, list, base))
	}
	return lines
}

// allRunning is by when the last pod ran.
func allRunning(s sample) float64 { return s.All }

// line is one row of the table.
func line(w way, list []sample, base float64) string {
	ran := succeeded(list)
	if len(ran) == 0 {
		return fmt.Sprintf("| %s | **not**: %s | | | | | | %d |\n", w.name, whyNot(list), len(list))
	}
	of := func(figure func(sample) float64) float64 { return middle(ran, figure) }
	ratio := ""
	if base > 0 && w.key != ways[0].key {
		ratio = fmt.Sprintf(" (%.2f ×)", of(allRunning)/base)
	}
	pods := max(1, of(func(s sample) float64 { return float64(s.Pods) }))
	wrote := of(func(s sample) float64 { n, _ := s.Wrote.sum(); return float64(n) }) / pods
	events := of(func(s sample) float64 { _, n := s.Wrote.sum(); return float64(n) }) / pods
	return fmt.Sprintf("| %s | %.1f s%s | %.2f s, %.2f s | %.2f s, %.2f s | %.1f s | %.2f (%.2f) | %.1f s, %.0f MiB | %s |\n",
		w.name, of(allRunning), ratio,
		of(func(s sample) float64 { return s.Bound }), of(func(s sample) float64 { return s.BoundP99 }),
		of(func(s sample) float64 { return s.Running }), of(func(s sample) float64 { return s.RunningP99 }),
		of(func(s sample) float64 { return s.Server }), wrote, events,
		of(func(s sample) float64 { return s.Scheduler }), of(func(s sample) float64 { return float64(s.Memory) })/(1<<20), counted(list, ran))
}

// counted says how many runs a row stands on, and at which load.
func counted(list, ran []sample) string {
	least, most := ran[0].Load, ran[0].Load
	for _, s := range ran {
		least, most = min(least, s.Load), max(most, s.Load)
	}
	runs := fmt.Sprint(len(ran))
	if len(ran) < len(list) {
		runs = fmt.Sprintf("%d of %d", len(ran), len(list))
	}
	return fmt.Sprintf("%s, %.0f to %.0f", runs, least, most)
}

func succeeded(list []sample) (ran []sample) {
	for _, s := range list {
		if s.Failed == "" {
			ran = append(ran, s)
		}
	}
	return ran
}

// whyNot is the first line of why a way failed.
func whyNot(list []sample) string {
	first, _, _ := strings.Cut(list[len(list)-1].Failed, "\n")
	return strings.ReplaceAll(first, "|", "/")
}

// writeInto replaces the table of a document, which stands between two marks.
func writeInto(file, table string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := []byte("<!-- compare -->\n"), []byte("<!-- end compare -->")
	from, to := bytes.Index(data, begin), bytes.Index(data, end)
	if from < 0 || to < from {
		return fmt.Errorf("%s has no marks %q and %q", file, begin, end)
	}
	text := append(append(append([]byte{}, data[:from+len(begin)]...), table...), data[to:]...)
	return os.WriteFile(file, text, 0o600)
}
