package trace

import (
	"io"
	"time"
)

// Fault is one line of a fault trace: a stretch of time in which a server was down.
// Faults of one server may overlap.
type Fault struct {
	Line       int
	Server     string
	Start, End time.Duration // from the zero of the trace
	Cause      string        // "" where the trace has none
	Rack       string        // that the server stands in; "" where the trace has no column of it
}

// OpenFaults reads a fault trace from disk.
func OpenFaults(path string) ([]Fault, error) { return open(path, ReadFaults) }

// ReadFaults reads a fault trace; name is what messages call it. Needed are the
// columns node_id, start_day and end_day (days from the zero of the trace); class
// and rack are read where they are there. Where there are racks every line names one, and
// a server stands in one of them. The faults stand in the order of the file.
func ReadFaults(name string, r io.Reader) ([]Fault, error) {
	t, err := newTable(name, r, "node_id", "start_day", "end_day")
	if err != nil {
		return nil, err
	}
	var faults []Fault
	first := map[string]Fault{}
	for {
		ok, err := t.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return faults, nil
		}
		f, err := t.fault()
		if err != nil {
			return nil, err
		}
		if other, known := first[f.Server]; known && other.Rack != f.Rack {
			return nil, t.fail("%q stands in rack %q, and in line %d in rack %q; a server stands in one", clip(f.Server), clip(f.Rack), other.Line, clip(other.Rack))
		} else if !known {
			first[f.Server] = f
		}
		faults = append(faults, f)
	}
}

// mostDays is a hundred years: a fault beyond it is a mistake.
const mostDays = mostSeconds / 86400

func (t *table) fault() (Fault, error) {
	f := Fault{
		Line: t.line, Server: t.name("node_id"), Cause: t.text("class"),
		Start: seconds(86400 * t.number("start_day", 0, mostDays)),
		End:   seconds(86400 * t.number("end_day", 0, mostDays)),
	}
	if _, racks := t.column["rack"]; racks {
		f.Rack = t.name("rack")
	}
	if f.End < f.Start {
		t.blame("end_day %s is before start_day %s", t.text("end_day"), t.text("start_day"))
	}
	return f, t.bad
}
