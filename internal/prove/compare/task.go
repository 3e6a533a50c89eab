package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
)

// class says what a Job stands for: its way decides what that means.
type class int

const (
	// open work has room, and takes none from other work.
	open class = iota
	// lent work runs on what a quota leaves unused, and leaves when that is wanted back.
	lent
	// owned work has a quota, and takes room back.
	owned
)

// job is a Job: so many pods, all at one time, of so many GPUs each.
type job struct {
	name       string
	pods, gpus int
	class      class
}

// task is what is measured.
type task struct {
	key, name string
	nodes     int
	before    func(ctx context.Context, b *bed) error // what runs before; nil: nothing
	jobs      func() []job
}

func (t task) keyword() string { return t.key }

// pods is how many pods of a task are measured.
func (t task) pods() (n int) {
	for _, j := range t.jobs() {
		n += j.pods
	}
	return n
}

// owns says whether a task measures work of a quota.
func (t task) owns() bool {
	return slices.ContainsFunc(t.jobs(), func(j job) bool { return j.class == owned })
}

// small is a task with a part of its nodes and of its work, to try things out.
func (t task) small(part int) task {
	whole := t.jobs
	t.nodes = max(1, t.nodes/part)
	t.jobs = func() []job { return share(whole(), part) }
	return t
}

// share is a part of some Jobs: fewer of them, or smaller ones where they are few.
func share(list []job, part int) []job {
	if len(list) >= part {
		return list[:len(list)/part]
	}
	for i := range list {
		list[i].pods = max(1, list[i].pods/part)
	}
	return list
}

// GPUs of a node, and pods of a gang of the task reclaim.
const (
	gpusOfNode = 8
	gangOf     = 32
)

// tasks are measured in this order.
var tasks = []task{
	{
		key: "jobs", name: "1,000 one-pod Jobs", nodes: 200,
		jobs: func() []job { return many("m", 1000, 1, 1, open) },
	},
	{
		key: "gang", name: "a gang of 500", nodes: 200,
		jobs: func() []job { return many("m", 1, 500, 1, open) },
	},
	{
		key: "reclaim", name: "20 gangs of 32, for which 16 gangs must leave", nodes: 20 * gangOf / gpusOfNode,
		before: func(ctx context.Context, b *bed) error {
			return b.runs(ctx, share(many("f", 16, gangOf, 1, lent), b.o.part))
		},
		jobs: func() []job { return many("m", 20, gangOf, 1, owned) },
	},
	{
		key: "consolidate", name: "a gang of 250 nodes, among 500 that are half full", nodes: 500,
		before: halfFull,
		jobs:   func() []job { return many("m", 1, 250, gpusOfNode, owned) },
	},
}

// many are n Jobs that are alike.
func many(prefix string, n, pods, gpus int, of class) (list []job) {
	for i := range n {
		list = append(list, job{fmt.Sprintf("%s-%04d", prefix, i), pods, gpus, of})
	}
	return list
}

// halfFull lets four one-GPU Jobs run on every node of eight GPUs: it fills all nodes, and deletes
// half of the Jobs of each.
func halfFull(ctx context.Context, b *bed) error {
	list := many("f", b.task.nodes*gpusOfNode, 1, 1, lent)
	if err := b.runs(ctx, list); err != nil {
		return err
	}
	stands, drop := map[string]int{}, []string{}
	for _, p := range b.watch.running(names(list)) {
		if stands[p.node]++; stands[p.node] > gpusOfNode/2 {
			drop = append(drop, p.job)
		}
	}
	if err := b.deleteJobs(ctx, drop); err != nil {
		return err
	}
	return b.until(ctx, "half of the Jobs have left", func() error {
		if n := len(b.watch.running(names(list))); n != len(list)-len(drop) {
			return fmt.Errorf("%d run, not %d", n, len(list)-len(drop))
		}
		return nil
	})
}

// deleteJobs deletes Jobs, many at a time.
func (b *bed) deleteJobs(ctx context.Context, jobs []string) error {
	todo := make(chan string, len(jobs))
	for _, name := range jobs {
		todo <- name
	}
	close(todo)
	failed := make(chan error, plain.Pace)
	for range plain.Pace {
		go func() {
			var err error
			for name := range todo {
				err = errors.Join(err, b.c.Call(ctx, http.MethodDelete, jobsPath+"/"+name+"?propagationPolicy=Background", nil, nil))
			}
			failed <- err
		}()
	}
	var err error
	for range plain.Pace {
		err = errors.Join(err, <-failed)
	}
	return err
}
