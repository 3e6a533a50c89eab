package trace

import (
	"io"
	"math"
	"time"
)

// Job is one line of a job trace.
type Job struct {
	File     string
	Line     int
	ID       string // unique in its team and file
	Team     string
	User     string // "" where the trace has none
	Submit   time.Time
	GPUs     int
	Duration time.Duration // how long it ran
	Priority string        // as the trace says it; "" where it says nothing
}

// OpenJobs reads a job trace from disk.
func OpenJobs(path string) ([]Job, error) { return open(path, ReadJobs) }

// ReadJobs reads a job trace; name is what messages call it. Needed are the
// columns job_id, submit_unix_s, team, gpus and duration_s; user and priority are
// read where they are there. The jobs stand in the order of the file.
func ReadJobs(name string, r io.Reader) ([]Job, error) {
	t, err := newTable(name, r, "job_id", "submit_unix_s", "team", "gpus", "duration_s")
	if err != nil {
		return nil, err
	}
	var jobs []Job
	seen := map[[2]string]int{}
	for {
		ok, err := t.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return jobs, nil
		}
		j, err := t.job()
		if err != nil {
			return nil, err
		}
		if line, twice := seen[[2]string{j.Team, j.ID}]; twice {
			return nil, t.fail("job_id %q of team %q stands in line %d already", j.ID, j.Team, line)
		}
		seen[[2]string{j.Team, j.ID}] = j.Line
		jobs = append(jobs, j)
	}
}

// Bounds of what a job may say: a number beyond them is a mistake.
const (
	mostGPUs    = 1_000_000
	mostSeconds = 100 * 365 * 24 * 3600 // of a duration
	lastSecond  = 1 << 32               // in the year 2106
)

func (t *table) job() (Job, error) {
	j := Job{
		File: t.file, Line: t.line,
		ID:       t.name("job_id"),
		Team:     t.name("team"),
		User:     t.text("user"),
		Submit:   time.Unix(0, 0).UTC().Add(seconds(t.number("submit_unix_s", 0, lastSecond))),
		GPUs:     t.whole("gpus", 1, mostGPUs),
		Duration: seconds(t.number("duration_s", 0, mostSeconds)),
		Priority: t.text("priority"),
	}
	return j, t.bad
}

// seconds keeps whole seconds exact.
func seconds(s float64) time.Duration {
	whole, part := math.Modf(s)
	return time.Duration(whole)*time.Second + time.Duration(math.Round(part*1e9))
}

// Pool is replicas of one size in the shape of a job.
type Pool struct {
	Name     string
	Replicas int
	GPUs     int // per replica
}

// wholeNode is the number of GPUs of a whole-node replica.
const wholeNode = 8

// Shape is how the job's GPUs become replicas: up to 8 are one replica, a
// multiple of 8 is whole-node replicas, and anything else is whole nodes and one
// replica (of the second pool) with the remainder. More than one replica is one gang.
func (j Job) Shape() []Pool {
	whole, rest := j.GPUs/wholeNode, j.GPUs%wholeNode
	switch {
	case whole == 0:
		return []Pool{{"w", 1, rest}}
	case rest == 0:
		return []Pool{{"w", whole, wholeNode}}
	}
	return []Pool{{"w", whole, wholeNode}, {"r", 1, rest}}
}
