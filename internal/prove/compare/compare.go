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
	r, err := o.begin()
	if err != nil {
		return err
	}
	there := o.available(&r)
	began, done, all := time.Now(), 0, o.runs*len(o.tasks)*len(there)
	for run := range o.runs {
		for _, key := range o.tasks {
			for i := range there {
				w := there[(i+run)%len(there)]
				s := o.sample(ctx, w, find(tasks, key))
				if ctx.Err() != nil {
					return errors.Join(ctx.Err(), o.finish(r))
				}
				r.add(s)
				done++
				fmt.Printf("%s %3d/%d %-9s %-34s %s\n", time.Since(began).Round(time.Second), done, all, key, w.name, s)
			}
		}
	}
	return o.finish(r)
}

// begin takes up the figures that were kept, so that tasks and ways which are not measured now stay.
func (o options) begin() (r results, err error) {
	if o.keep != "" {
		r, err = readResults(o.keep)
	}
	r.drop(o.tasks, o.ways)
	return r, err
}

// available are the ways that can be had here; of the others it is said why not.
func (o options) available(r *results) (list []way) {
	for _, key := range o.ways {
		w := find(ways, key)
		if err := w.lacks(o); err != nil {
			fmt.Printf("%s is not measured: %v\n", w.name, err)
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
	fmt.Print("\n", text)
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
			fmt.Println(err)
		}
	}
}
