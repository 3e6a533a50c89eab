package past

import "github.com/muster-fleet/muster/internal/state/fleet"

// Promises is what had become of a partition's promises when they were last counted.
// The state judges them (fleet.Pledges), for buffer policies are weighed by them;
// here they are only counted hour by hour, so that any window can be asked for.
type Promises struct {
	Open int
	Done []fleet.Outcome
}

// promises counts what became of promises in the hour that ends now.
func (b *Book) promises(now int64) {
	for _, p := range b.state.Partitions {
		if len(p.Nodes) == 0 {
			continue
		}
		is := judged(p.Judged(fleet.Instant(now * 1e6)))
		kept, broken := is.since(b.Promises[p.ID])
		m, hour := b.partition(p.ID), now-1 // the hour is over: it is counted in it
		m.count(hour, Issued, int64(is.Open-b.Promises[p.ID].Open+kept+broken))
		m.count(hour, Kept, int64(kept))
		m.count(hour, Broken, int64(broken))
		b.Promises[p.ID] = is
	}
}

func judged(l fleet.Pledges) Promises {
	is := Promises{Done: l.Done}
	for _, o := range l.Open {
		is.Open += o.Hours
	}
	return is
}

// since is how many promises were kept and broken since an earlier count. The state
// lets go of what it knows of policies that are long over.
func (is Promises) since(was Promises) (kept, broken int) {
	for _, o := range is.Done {
		before := outcomeOf(was.Done, o.Policy, o.Mixed)
		kept += o.Kept - before.Kept
		broken += o.Broken - before.Broken
	}
	return kept, broken
}

// outcomeOf is what had become of the promises made under a policy.
func outcomeOf(list []fleet.Outcome, policy fleet.Buffer, mixed bool) fleet.Outcome {
	for _, o := range list {
		if o.Policy == policy && o.Mixed == mixed {
			return o
		}
	}
	return fleet.Outcome{}
}
