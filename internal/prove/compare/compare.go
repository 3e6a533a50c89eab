package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// compare measures everything, says each figure as it comes, and keeps them all.
func (o options) compare(ctx context.Context) error {
	r, err := o.kept()
	if err != nil {
		return err
	}
	plan := o.plan(o.available(&r))
	began := time.Now()
	for i, m := range plan {
		s := o.sample(ctx, m.way, m.task)
		if ctx.Err() != nil {
			break
		}
		r.add(s)
		fmt.Fprintf(o.out, "%s %d/%d %s, %s: %s\n", time.Since(began).Round(time.Second), i+1, len(plan), m.task.key, m.way.name, s)
	}
	return errors.Join(ctx.Err(), o.finish(r))
}

// step is one measurement.
type step struct {
	task task
	way  way
}

// plan lists all measurements. The ways take turns, and another one begins in each run.
func (o options) plan(there []way) (list []step) {
	for run := range o.runs {
		for _, key := range o.tasks {
			for i := range there {
				if w := there[(i+run)%len(there)]; w.does(key) {
					list = append(list, step{find(tasks, key).small(o.part), w})
				}
			}
		}
	}
	return list
}

// kept takes up the samples of earlier days, so that tasks and ways that are not measured now stay.
func (o options) kept() (results, error) {
	if o.keep == "" {
		return results{}, nil
	}
	return readResults(o.keep)
}

// available are the ways that can be had here; of the others it is said why not.
func (o options) available(r *results) (list []way) {
	for _, key := range o.ways {
		w := find(ways, key)
		if err := w.lacks(o); err != nil {
			fmt.Fprintf(o.out, "%s is not measured: %v\n", w.name, err)
			continue
		}
		r.versions(w.key, w.version(o))
		list = append(list, w)
	}
	return list
}

// finish prints the table, and writes it and the samples where that is asked for.
func (o options) finish(r results) error {
	r.Machine = machine()
	text := r.table()
	fmt.Fprint(o.out, "\n", text)
	var err error
	if o.keep != "" {
		err = r.write(o.keep)
	}
	if o.into != "" {
		err = errors.Join(err, writeInto(o.into, text))
	}
	return err
}

// logged keeps what the programs said, where that is asked for.
func (o options) logged(b *bed) {
	if o.logs == "" {
		return
	}
	for _, part := range b.c.Parts() {
		name := fmt.Sprintf("%s/%s-%s-%s.log", o.logs, b.task.key, b.way.key, part)
		if err := os.WriteFile(name, []byte(b.c.Log(part)), 0o600); err != nil {
			fmt.Fprintln(o.out, err)
		}
	}
}
