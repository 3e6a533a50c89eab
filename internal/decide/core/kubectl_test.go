package core_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestWhatMakesPodsIsToldWithKubectl(t *testing.T) {
	for _, c := range []struct {
		kind, name, scale, ends string
	}{
		{"Deployment", "engines", "kubectl scale deployment/engines -n oak --replicas 3", "kubectl delete deployment/engines -n oak"},
		{"Job", "train", `kubectl patch job/train -n oak --type merge -p '{"spec":{"parallelism":3}}'`, "kubectl delete job/train -n oak"},
		{"RayCluster", "ray", "kubectl edit raycluster/ray -n oak", "kubectl delete raycluster/ray -n oak"},
		{"LeaderWorkerSet", "one-of-many-groups", "", ""},
		{"Pod", "alone", "", "kubectl delete pod/alone -n oak"},
		{"", "", "", ""},
		{"Deployment", "x; rm -rf ~", "", ""},
	} {
		s := fleet.Spec{Namespace: "oak@tiger", Groups: []string{fleet.SeenOn("tiger")}}
		if c.kind != "" {
			s.Groups = append(s.Groups, fleet.MadeBy(c.kind, c.name))
		}
		if got := core.ScaleLine(&s, "3"); got != c.scale {
			t.Errorf("%s %s is scaled by %q, want %q", c.kind, c.name, got, c.scale)
		}
		if got := core.DeleteLine(&s); got != c.ends {
			t.Errorf("%s %s is ended by %q, want %q", c.kind, c.name, got, c.ends)
		}
	}
}
