package drivertest

import (
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func resyncStarts(s *story) {
	s.Expect("oak", nameOf(1), hour)
	s.Resync(at(0), []driver.Standing{{Job: jobOf(1), Running: on(0, 3)}})
	if _, ended := s.reports(3 * hour); ended[1] != 4 {
		s.t.Fatal("what was missing on the cluster has not run to its end")
	}
}

func resyncRepeats(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 4), false)
	s.Stop(at(hour), 1, on(7, 3), at(hour+grace))
	s.expectLeft(hour+grace, map[uint64][]fleet.Spot{1: on(7, 3)}) // a restart loses it
	s.Resync(at(2*hour), []driver.Standing{{Job: jobOf(1), Started: at(0), Running: on(0, 4), Leaving: on(7, 3), Until: at(hour + grace)}})
	s.expectLeft(3*hour, map[uint64][]fleet.Spot{1: on(7, 3)})
}

func resyncClears(s *story) {
	s.Expect("oak", nameOf(1), 2*hour)
	s.Expect("oak", nameOf(2), 2*hour)
	s.Cluster.Run(at(0), jobOf(1), on(0, 3), false)
	s.Cluster.Run(at(0), jobOf(2), on(0, 4), false)
	s.Resync(at(hour), []driver.Standing{{Job: jobOf(2), Started: at(0), Running: on(0, 4)}})
	left, ended := s.reports(5 * hour)
	if len(left) > 0 || ended[1] != 0 || ended[2] != 4 {
		s.t.Fatalf("%v have left and the runs %v have ended, want the end of workload 2 alone", left, ended)
	}
}

func orderGivenAgain(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 3, 4), false)
	s.Stop(at(hour), 1, on(7, 3), at(hour+grace))
	s.expectLeft(hour+grace, map[uint64][]fleet.Spot{1: on(7, 3)}) // it is lost on its way
	again := driver.Standing{Job: jobOf(1), Started: at(0), Running: on(0, 3, 4), Leaving: on(7, 3), Until: at(2*hour + grace)}
	s.Restate(at(2*hour), again)
	s.expectLeft(2*hour+grace, map[uint64][]fleet.Spot{1: on(7, 3)})
	s.Stop(at(3*hour), 1, on(9, 3), at(3*hour+grace)) // what stands beside is still there
	s.expectLeft(3*hour+grace, map[uint64][]fleet.Spot{1: on(9, 3)})
}
