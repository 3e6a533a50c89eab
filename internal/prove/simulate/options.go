package simulate

import (
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Options of Run.
type Options struct {
	Crowd  Crowd     // made up instead of Fleet, Jobs and Faults
	Fleet  string    // fleet file
	Jobs   []string  // job traces
	Teams  []string  // only these teams' jobs; none: all
	Faults string    // fault trace; "" for none
	From   time.Time // jobs submitted before it are left out; zero: from the first one
	To     time.Time // and those submitted after it; zero: to the last one
	Seed   uint64    // of the driver's delays and of which server's faults befall which node
	Delays bool      // replicas start and stop with realistic delays; otherwise at once
	// NoMend sends every gang that loses a node back to its queue, to compare with.
	NoMend bool
	// CheckpointEvery is how often jobs save their work; 0: never.
	CheckpointEvery time.Duration
	// Declare gives every job a maximum run time.
	Declare Declare
	// ForecastEvery asks so often when all that waits will start, and measures what
	// came of it; 0: never.
	ForecastEvery time.Duration
	// CheckEvery checks what always holds after every Nth record; 0 means after each,
	// a negative number never.
	CheckEvery int
	// Journal keeps the run's history. It must be empty; nil keeps none.
	Journal journal.Journal
}

func (o Options) checkEvery() int {
	switch {
	case o.CheckEvery < 0:
		return 0
	case o.CheckEvery == 0:
		return 1
	}
	return o.CheckEvery
}

func (o Options) journal() journal.Journal {
	if o.Journal == nil {
		return &oblivion{}
	}
	return o.Journal
}

// Input is what a simulation reads, all of it checked.
type Input struct {
	Fleet   fleetfile.File
	Jobs    []trace.Job       // in order of submission
	Targets map[string]string // by team: a quota's path, or flex
	Faults  []trace.Fault
	Until   time.Time    // the moment at which it ends, whatever still runs; zero: when every job has ended
	Specs   []fleet.Spec // of the jobs, without their targets; nil: as the trace says
	From    time.Time    // the moment at which the simulation starts
}

// Read reads the files that the options name. Its errors name the place in them.
func Read(o Options) (Input, error) {
	if o.Crowd.Nodes > 0 {
		return o.Crowd.input(o.Seed), nil
	}
	if o.Fleet == "" || len(o.Jobs) == 0 {
		return Input{}, errors.New("a simulation needs a fleet file and at least one job trace")
	}
	if !o.From.IsZero() && !o.To.IsZero() && o.To.Before(o.From) {
		return Input{}, fmt.Errorf("the simulation ends (%s) before it starts (%s)", o.To.Format(time.RFC3339), o.From.Format(time.RFC3339))
	}
	in := Input{From: o.From.UTC()}
	var err error
	if in.Fleet, err = fleetfile.Load(o.Fleet, fleetfile.Options{}); err != nil {
		return in, err
	}
	if in.Jobs, err = readJobs(o); err != nil {
		return in, err
	}
	if in.Targets, err = targets(in.Fleet.Quotas, in.Jobs); err != nil {
		return in, err
	}
	if len(in.Jobs) == 0 {
		return in, errors.New("no job of the traces was submitted by the teams and in the time that were asked for")
	}
	if o.From.IsZero() {
		in.From = in.Jobs[0].Submit
	}
	if o.Faults != "" {
		in.Faults, err = trace.OpenFaults(o.Faults)
	}
	return in, err
}
