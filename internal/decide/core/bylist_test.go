package core_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Where people sign in, a quota without an access list is closed to the pods of clusters as to people; a list
// lets their namespace in. Without a sign-in it is open.
func TestAQuotaWithoutAListIsClosedToPods(t *testing.T) {
	st := fitFleet(t)
	pods := core.Reporter
	pods.ByList = true
	submit := func(by core.Actor, name, target string) *core.Refusal {
		c := gang(name, "oak", target, fleet.Mid, 1)
		_, refusal := core.Step(st.s, core.Request{Command: c, Actor: by}, fleet.Instant(time.Minute))
		return refusal
	}
	if no := submit(pods, "pods", "q"); no == nil || no.Code != core.AccessDenied || !strings.Contains(no.Message, "muster quota access q --for-namespace oak opens it") {
		t.Errorf("pods in a closed quota: %v", no)
	}
	if no := submit(pods, "lent", fleet.Flex); no != nil {
		t.Errorf("pods on flex: %v", no)
	}
	c := core.Retarget{Namespace: "oak", Name: "lent", Target: "q"}
	if _, no := core.Step(st.s, core.Request{Command: c, Actor: pods}, fleet.Instant(time.Minute)); no == nil || no.Code != core.AccessDenied {
		t.Errorf("pods that move into a closed quota: %v", no)
	}
	if no := submit(core.Reporter, "without", "q"); no != nil {
		t.Errorf("pods where people do not sign in: %v", no)
	}
	st.do(time.Minute, core.SetAccess{Path: "q", Access: fleet.Access{Namespaces: []string{"oak"}}})
	if no := submit(pods, "listed", "q"); no != nil {
		t.Errorf("pods of a namespace on the list: %v", no)
	}
}

// watched is a fleet with a cluster that is only watched, in which people sign in. The quota q has a grant and,
// where it is given one, an access list.
func watched(t *testing.T, list fleet.Access) (tale, core.Actor) {
	t.Helper()
	st := smallFleet(t, 2)
	st.do(0, core.CreateQuota{Path: "q", Access: list}, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 8},
		core.SetMode{Cluster: "t", Mode: fleet.Observe})
	pods := core.Reporter
	pods.ByList = true
	return st, pods
}

// runsThere says that work for the quota q, of namespace oak, was seen on a node.
func runsThere() core.Observe {
	spec := job("oak", "w", "q", fleet.Mid, pools(1)...).Spec
	spec.User, spec.Groups = "", []string{fleet.SeenOn("t")}
	return core.Observe{Spec: spec, Partition: "t/g", On: []core.Seen{{Node: "t-g-a-001"}}}
}

// Work that already runs holds its nodes. A quota that its submission would be refused counts none of it.
func TestWhatRunsOnAWatchedClusterIsCountedForNoQuotaOfOthers(t *testing.T) {
	for what, c := range map[string]struct {
		list fleet.Access
		open bool // people do not sign in
		want string
	}{
		"another namespace's quota":   {list: fleet.Access{Namespaces: []string{"elm"}}, want: fleet.Flex},
		"oak of another cluster":      {list: fleet.Access{Namespaces: []string{"u/oak"}}, want: fleet.Flex},
		"a quota without a list":      {want: fleet.Flex},
		"its own quota":               {list: fleet.Access{Namespaces: []string{"t/oak"}}, want: "q"},
		"no list, and no sign-in":     {open: true, want: "q"},
		"another's, and no sign-in":   {list: fleet.Access{Namespaces: []string{"elm"}}, open: true, want: fleet.Flex},
		"a list of people, not of it": {list: fleet.Access{Users: []string{"ada"}}, want: fleet.Flex},
	} {
		st, pods := watched(t, c.list)
		pods.ByList = !c.open
		st.by(0, pods, runsThere(), "")
		w, p := st.s.Workload("oak", "w"), st.s.Partition("t/g")
		if w == nil || w.Target != c.want || w.State != fleet.RunningW || w.GPUs() == 0 {
			t.Errorf("%s: %+v, want it to run with target %s", what, w, c.want)
			continue
		}
		if used := p.Account("q").Stays(); (used > 0) != (c.want == "q") {
			t.Errorf("%s: quota q has %d GPUs in use", what, used)
		}
	}
}

// A quota that work was counted for may be another team's by the time at which the cluster is taken over. The work
// goes on where it stands, with its age, and no quota protects it that it may not target.
func TestWorkIsTakenOverForNoQuotaOfOthers(t *testing.T) {
	for what, c := range map[string]struct {
		list fleet.Access
		want string
	}{
		"it is on the list":     {fleet.Access{Namespaces: []string{"oak"}}, "q"},
		"it has left the list":  {fleet.Access{Namespaces: []string{"elm"}}, fleet.Flex},
		"there is no list more": {fleet.Access{}, fleet.Flex},
	} {
		st, pods := watched(t, fleet.Access{Namespaces: []string{"oak"}})
		st.by(0, pods, runsThere(), "")
		st.do(time.Minute, core.SetAccess{Path: "q", Access: c.list}, core.SetMode{Cluster: "t", Mode: fleet.Shadow}, core.SetMode{Cluster: "t", Mode: fleet.Enforce})
		before := *st.s.Workload("oak", "w")
		st.by(time.Hour, pods, core.Adopt{Namespace: "oak", Name: "w", Groups: []string{"uid:1"}}, "")
		w := st.s.Workload("oak", "w")
		if w.Target != c.want || w.State != fleet.RunningW || w.Started != before.Started || w.Submitted != before.Submitted || w.GPUs() != before.GPUs() {
			t.Errorf("%s: taken over as %s, %s, started %v, %d GPUs", what, w.Target, w.State, w.Started, w.GPUs())
		}
		if protected := w.GPUsHeldAs()[fleet.HoldsGuaranteed] > 0; protected != (c.want == "q") {
			t.Errorf("%s: protected by quota q: %v", what, protected)
		}
		for _, broken := range invariant.Check(st.s) {
			t.Errorf("%s: broken: %s", what, broken)
		}
	}
}

// So it is where a part of it leaves in that moment: what stays is protected by no quota that it may not
// target, and what leaves does so as it was told to.
func TestWorkOfWhichAPartLeavesIsTakenOverForNoQuotaOfOthers(t *testing.T) {
	st, pods := watched(t, fleet.Access{Namespaces: []string{"oak"}})
	seen := runsThere()
	seen.Spec.Pools = []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 2, Elastic: true, Reach: fleet.ReachAny}}
	seen.On = append(seen.On, core.Seen{Node: "t-g-a-002"})
	st.by(0, pods, seen, "")
	st.do(time.Minute, core.SetMode{Cluster: "t", Mode: fleet.Shadow}, core.SetMode{Cluster: "t", Mode: fleet.Enforce})
	st.by(time.Minute, pods, core.Resize{Namespace: "oak", Name: "w", Pool: "w", Max: 1}, "")
	st.do(time.Minute, core.SetAccess{Path: "q", Access: fleet.Access{Namespaces: []string{"elm"}}})
	leaving := func(w *fleet.Workload) []fleet.Spot {
		return w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
	}
	before := *st.s.Workload("oak", "w")
	leaves, orders := leaving(&before), before.Orders.Clone()
	if len(leaves) == 0 {
		t.Fatal("nothing of it leaves")
	}
	st.by(time.Minute, pods, core.Adopt{Namespace: "oak", Name: "w", Groups: []string{"uid:1"}}, "")
	w := st.s.Workload("oak", "w")
	if used := st.s.Partition("t/g").Account("q").Stays(); w.Target != fleet.Flex || used > 0 {
		t.Errorf("taken over as %s, and its quota counts %d GPUs", w.Target, used)
	}
	if !reflect.DeepEqual(leaving(w), leaves) || !reflect.DeepEqual(w.Orders.All(), orders.All()) || w.GraceEnds != before.GraceEnds {
		t.Errorf("it leaves %+v by %+v; it was %+v by %+v", leaving(w), w.Orders.All(), leaves, orders.All())
	}
	for _, broken := range invariant.Check(st.s) {
		t.Errorf("broken: %s", broken)
	}
}

// Work that waits has no place yet: it waits for what it may have.
func TestWaitingWorkIsTakenOverForNoQuotaOfOthers(t *testing.T) {
	st, pods := watched(t, fleet.Access{Namespaces: []string{"oak"}})
	st.by(0, pods, core.Submit{Spec: runsThere().Spec}, "")
	st.do(time.Minute, core.SetAccess{Path: "q", Access: fleet.Access{Namespaces: []string{"elm"}}}, core.SetMode{Cluster: "t", Mode: fleet.Shadow}, core.SetMode{Cluster: "t", Mode: fleet.Enforce})
	st.by(time.Hour, pods, core.Adopt{Namespace: "oak", Name: "w", Groups: []string{"uid:1"}}, "")
	if w := st.s.Workload("oak", "w"); w.Target != fleet.Flex {
		t.Errorf("taken over with target %s", w.Target)
	}
}
