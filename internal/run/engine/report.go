package engine

import (
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
)

// RequestOf is the command that a driver's report becomes.
func RequestOf(r driver.Report) core.Request {
	return core.Request{Command: commandOf(r), Actor: core.Reporter}
}

func commandOf(r driver.Report) core.Command {
	switch {
	case r.Stopped != nil:
		return core.ReportStopped{ID: r.Stopped.ID, Spots: r.Stopped.Spots}
	case r.Finished != nil:
		return core.ReportFinished{ID: r.Finished.ID, Run: r.Finished.Run, Failed: r.Finished.Failed}
	case r.Nodes != nil:
		return core.SetNodes{Names: r.Nodes.Names, State: r.Nodes.State, Dead: r.Nodes.Dead, Signal: r.Nodes.Signal}
	case r.Reporting != nil && r.Reporting.Stopped:
		return core.StopReports{Cluster: r.Reporting.Cluster}
	case r.Reporting != nil:
		return core.ResumeReports{Cluster: r.Reporting.Cluster}
	}
	panic("driver: a report that says nothing")
}
