package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// vain keeps, along one walk of a quota's queue, who found no room there with
// everybody gone that could leave for it. Who comes behind may evict nobody else
// and counts on no more; where it asks for at least as much it need not be asked.
type vain []vainly

// vainly is one pool that was asked for in vain.
type vainly struct {
	gpus, replicas int
	reach          int // see narrow
	lacks          fleet.Lack
}

// plainly is what a waiting unit asks for, where that is a workload's one pool.
func plainly(it *fleet.Waiting) (v vainly, ok bool) {
	if it.Pool != fleet.Base || len(it.Workload.Pools) != 1 {
		return v, false
	}
	p := it.Workload.Pools[0]
	v = vainly{gpus: p.GPUs, replicas: p.Min, reach: narrow(p.Reach)}
	if p.Max == 1 {
		v.reach = narrow(fleet.ReachAny) // as poolNeed has it
	}
	return v, true
}

// covers says whether a unit asks for as much as one before it that asked in vain.
func (list vain) covers(it *fleet.Waiting) (lacks fleet.Lack, ok bool) {
	if len(list) == 0 {
		return 0, false
	}
	y, plain := plainly(it)
	if !plain {
		return 0, false
	}
	for _, x := range list {
		if x.gpus <= y.gpus && x.replicas <= y.replicas && x.reach >= y.reach {
			return x.lacks, true
		}
	}
	return 0, false
}

// note adds the last unit that was asked, if it found no room whoever had left. One
// that overran stands behind those of its age, and holds differ from user to user.
func (list *vain) note(pl *Planner, a *fleet.Account, it *fleet.Waiting) {
	if !pl.hopeless || len(a.InsideHolds()) > 0 || it.Workload.Overran(pl.now) {
		return
	}
	if x, plain := plainly(it); plain {
		x.lacks = pl.lacking
		*list = append(*list, x)
	}
}

// mayPush says whether a claim could turn guaranteed work of its own quota into
// borrowing: a larger one pushes more, and might find room where a smaller found none.
func (pl *Planner) mayPush(c *claim) bool {
	units, n := pl.before(c.account, c.key)
	for _, u := range units[n:] {
		if u.holds == fleet.HoldsGuaranteed && c.key.Importance().Above(u.key.Importance()) {
			return true
		}
	}
	return false
}
