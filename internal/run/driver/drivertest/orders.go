package drivertest

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func endOfARun(s *story) {
	s.Expect("oak", nameOf(1), hour)
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 4), false)
	if _, ended := s.reports(3 * hour); ended[1] != 4 {
		s.t.Fatalf("run %d of the workload is reported to have ended, want run 4", ended[1])
	}
}

func orderCarriedOut(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 3, 4, 5), false)
	s.Stop(at(hour), 1, on(7, 3, 3, 4), at(hour+grace))
	s.expectLeft(hour+grace, map[uint64][]fleet.Spot{1: on(7, 3, 3, 4)})
	s.expectLeft(3*hour, nil)
}

func orderOfTheUnknown(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3), false)
	s.Stop(at(hour), 1, on(7, 4), at(hour+grace))
	s.Stop(at(hour), 2, on(8, 4), at(hour+grace))
	s.expectLeft(hour+grace, map[uint64][]fleet.Spot{1: on(7, 4), 2: on(8, 4)})
}

func twoOrders(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 3), false)
	s.Stop(at(hour), 1, on(7, 3), at(hour+grace))
	s.expectLeft(hour+grace, map[uint64][]fleet.Spot{1: on(7, 3)})
	s.Stop(at(2*hour), 1, on(9, 3), at(2*hour+grace))
	s.expectLeft(2*hour+grace, map[uint64][]fleet.Spot{1: on(9, 3)})
}

func lostOnTheWay(s *story) {
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 4, 5), false)
	s.Forget(at(hour), 1, on(0, 5))
	s.Stop(at(hour), 1, on(7, 3, 4), at(hour+grace))
	s.Forget(at(hour), 1, on(7, 4))
	s.expectLeft(3*hour, map[uint64][]fleet.Spot{1: on(7, 3)})
}

func goneForGood(s *story) {
	s.Expect("oak", nameOf(1), 2*hour)
	s.Cluster.Run(at(0), jobOf(1), on(0, 3, 4), false)
	s.Stop(at(hour), 1, on(7, 3), at(hour+grace))
	s.Delete(at(hour), 1)
	if left, ended := s.reports(5 * hour); len(left)+len(ended) > 0 {
		s.t.Fatalf("of a workload that is over %v have left and %v have ended", left, ended)
	}
}
