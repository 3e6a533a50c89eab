package bench

import (
	"context"
	"fmt"

	"github.com/muster-fleet/muster/internal/prove/simulate"
)

// crowds is how many crowds the bench churn lives through.
const crowds = 24

// churn lets crowds ask for more than a fleet has, and counts what that costs them:
// needless evictions, and room that stood idle.
func churn(ctx context.Context, o Options) (Report, error) {
	crowd := simulate.Crowd{Nodes: 60, Load: 1.4, Days: 4}
	r := Report{Bench: "churn", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	r.Recipe = fmt.Sprintf("muster simulate --crowd %d --load %.1f --days %d --seed N", crowd.Nodes, crowd.Load, crowd.Days)
	n := o.scaled(crowds)
	var sum simulate.Churn
	held := 0.0
	for i := range n {
		o.say("crowd %d of %d", i+1, n)
		one, err := simulate.Run(ctx, simulate.Options{Crowd: crowd, Seed: o.Seed + uint64(i), CheckEvery: -1}, nil)
		if err != nil {
			return r, err
		}
		sum.SameRecord += one.Churn.SameRecord
		sum.Restless += one.Churn.Restless
		sum.Most = max(sum.Most, one.Churn.Most)
		sum.Idle += one.Churn.Idle / float64(n)
		held += one.Utilisation / float64(n)
	}
	r.add(aimed(Figure{Name: "evictions by the record of the victim's own start", Value: float64(sum.SameRecord), Unit: ""}, "0", sum.SameRecord == 0))
	r.add(aimed(Figure{Name: "workloads evicted over three times in an hour", Value: float64(sum.Restless), Unit: ""}, "≤ 2", sum.Restless <= 2))
	r.add(Figure{Name: "evictions of the workload evicted most", Value: float64(sum.Most), Unit: ""})
	r.add(aimed(Figure{Name: "idle though a waiting one-node flex job fits", Value: 100 * sum.Idle, Unit: "%"}, "≤ 0.5 %", sum.Idle <= 0.005))
	r.add(Figure{Name: "utilisation", Value: 100 * held, Unit: "%"})
	r.remark("%d crowds of the seeds %d to %d. Counts are of all crowds together, shares are means.", n, o.Seed, o.Seed+uint64(n)-1)
	return r, nil
}
