package buildout

import "github.com/muster-fleet/muster/internal/state/fleet"

// production judges a cluster that is in production: whether it is degraded, by what, and whether all is well again.
// One that grows, or gets another version of its blueprint, has to earn its conditions anew, which may take weeks: what
// serves meanwhile is judged by itself, so that no growth hides a fall.
func (k *look) production() {
	k.verdict.Fallen = k.fallen()
	if k.verdict.Fallen == "" && !k.serves() {
		k.verdict.Fallen = k.fallenMeanwhile()
	}
	k.verdict.Degraded = k.verdict.Fallen != ""
	k.verdict.Sound = !k.verdict.Degraded && (k.all() || !k.serves() && !k.observed.Stale)
}

// fallen is the first condition that fell, in words.
func (k *look) fallen() string {
	for i := range k.verdict.Conditions {
		if c := &k.verdict.Conditions[i]; c.Fell {
			return fallText(c.Type, c.Message)
		}
	}
	return ""
}

// fallenMeanwhile is what fell of what is in production, while the cluster is built as it is wanted now.
func (k *look) fallenMeanwhile() string {
	if few := k.fewNodes(); few != "" {
		return fallText(fleet.NodesReady, few)
	}
	for _, w := range ways {
		if e, ok := k.life.Saw(w.step); ok && !e.Holds && e.Generation < k.life.Generation && w.step != fleet.StepJoin {
			return fallText(w.condition, e.Detail)
		}
	}
	return ""
}

func fallText(c fleet.ConditionType, detail string) string {
	if detail == "" {
		return string(c)
	}
	return string(c) + " (" + detail + ")"
}
