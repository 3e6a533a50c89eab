package simulate

import (
	"testing"
)

func TestACrowdLivesItsDaysAndIsTheSameAgain(t *testing.T) {
	o := Options{Crowd: Crowd{Nodes: 12, Load: 1.4, Days: 1}, Seed: 3, CheckEvery: 10}
	run := func() Report {
		r, err := Run(t.Context(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := run(), run()
	if a.StateHash != b.StateHash || a.Churn != b.Churn {
		t.Errorf("state %s, churn %+v; again %s, %+v", a.StateHash, a.Churn, b.StateHash, b.Churn)
	}
	if !a.Until.Equal(crowdStart.AddDate(0, 0, 1)) || a.Jobs == 0 || a.Unfinished == 0 || a.Refused > 0 || a.Violations > 0 {
		t.Errorf("until %s, %d jobs, %d unfinished, %d refused (%s), %d violations (%s)", a.Until, a.Jobs, a.Unfinished, a.Refused, a.Refusal, a.Violations, a.Violation)
	}
	if a.Utilisation < 0.5 || a.Utilisation > 1 {
		t.Errorf("utilisation %.2f under a load of 1.4", a.Utilisation)
	}
}
