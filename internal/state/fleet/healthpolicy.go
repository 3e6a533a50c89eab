package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// HealthPolicy is what automation may do to nodes, as data. Shares are of the
// nodes of one partition that are not retired.
type HealthPolicy struct {
	Shadow  bool          `json:"shadow,omitempty"` // judged and shown, nothing done
	Rules   []HealthRule  `json:"rules,omitempty"`
	Budget  Permille      `json:"budget"` // nodes that automation may keep out of service at one time; at least one
	Breaker BreakerPolicy `json:"breaker"`
	Burst   BurstPolicy   `json:"burst"`
	Flap    FlapPolicy    `json:"flap"`
	Lemon   LemonPolicy   `json:"lemon"`
	Hung    time.Duration `json:"hung"` // busy by the plain figure for so long, with tensor cores and network still
}

// HealthRule says what a signal leads to. The worst that any rule asks for is
// done; a rule that asks for nothing excuses the node from the rules after it. A
// signal that no rule knows is kept and shown.
type HealthRule struct {
	Name string `json:"name"`

	// Which conditions it knows; what is empty fits all.
	Agents  []string `json:"agents,omitempty"`
	Checks  []string `json:"checks,omitempty"`
	Codes   []string `json:"codes,omitempty"`
	Actions []string `json:"actions,omitempty"`
	Fatal   bool     `json:"fatal,omitempty"` // only what the monitor calls fatal

	// What it asks for: suspect, quarantined or degraded; "" shows it and does nothing.
	Then NodeState `json:"then,omitempty"`
	// When: Times sights Within, and failing for as long as Lasts. 0: at once.
	Times  int           `json:"times,omitempty"`
	Within time.Duration `json:"within,omitempty"`
	Lasts  time.Duration `json:"lasts,omitempty"`
	// Quiet: the condition is over when it was not seen for so long. 0: when the check passes.
	Quiet time.Duration `json:"quiet,omitempty"`
	// Stays: how long a suspect stays so after it is over.
	Stays time.Duration `json:"stays,omitempty"`
	// Needs: checks that a validation must hold before a quarantined or degraded node returns.
	Needs []string `json:"needs,omitempty"`
	// Own: it is a sign about the work on the node, not about the node.
	Own bool `json:"own,omitempty"`
}

// BreakerPolicy is the circuit breaker: where automation wants this share of a
// partition, and at least Least nodes, out of service Within a time, it stops
// and waits for a person (semantics §6).
type BreakerPolicy struct {
	Share  Permille      `json:"share"`
	Least  int           `json:"least"`
	Within time.Duration `json:"within"`
}

// BurstPolicy says when one signature on many nodes is taken for a fault of the job or a false alarm.
type BurstPolicy struct {
	Nodes    int           `json:"nodes"`
	Within   time.Duration `json:"within"`
	CoolDown time.Duration `json:"coolDown"` // after the last node's condition is over
}

// FlapPolicy keeps a node that is suspected again and again suspect for longer.
type FlapPolicy struct {
	Times    int           `json:"times"`
	Within   time.Duration `json:"within"`
	CoolDown time.Duration `json:"coolDown"`
}

// LemonPolicy says which nodes are lemons: those that fail Factor (in
// thousandths) times as often as the fleet with this certainty, over Window.
type LemonPolicy struct {
	Factor    Permille      `json:"factor"`
	Certainty Permille      `json:"certainty"`
	Window    time.Duration `json:"window"`
}

// DefaultHealth is the policy everyone starts with.
func DefaultHealth() HealthPolicy {
	return HealthPolicy{
		Rules:   defaultRules(),
		Budget:  100,
		Breaker: BreakerPolicy{Share: 200, Least: 3, Within: 10 * time.Minute},
		Burst:   BurstPolicy{Nodes: 5, Within: 5 * time.Minute, CoolDown: 30 * time.Minute},
		Flap:    FlapPolicy{Times: 3, Within: time.Hour, CoolDown: time.Hour},
		Lemon:   LemonPolicy{Factor: 1250, Certainty: 950, Window: 90 * 24 * time.Hour},
		Hung:    30 * time.Minute,
	}
}

// defaultRules: what each code means, and who says so, is in internal/decide/health/adapt.
func defaultRules() []HealthRule {
	const calm = 5 * time.Minute
	return []HealthRule{
		{Name: "application errors", Codes: []string{"8", "13", "31", "43", "45", "66", "69", "137"}, Own: true, Quiet: calm},
		{Name: "contained memory error", Codes: []string{"94"}, Then: Suspect, Quiet: time.Hour, Stays: calm},
		{Name: "row remapped", Codes: []string{"63"}, Then: Suspect, Times: 2, Within: 24 * time.Hour, Quiet: time.Hour, Stays: calm},
		{Name: "GPU lost", Codes: []string{"79"}, Then: Quarantined},
		{Name: "memory failed", Codes: []string{"48", "64", "92", "95", "140"}, Then: Quarantined},
		{Name: "GPU firmware failed", Codes: []string{"46", "62", "109", "119", "120", "143", "154"}, Then: Quarantined},
		{Name: "NVLink error", Codes: []string{"74", "121", "144", "145", "146", "147", "148", "149", "150"}, Then: Suspect, Quiet: 30 * time.Minute, Stays: calm},
		{Name: "NVLink error again", Codes: []string{"74", "121", "144", "145", "146", "147", "148", "149", "150"}, Then: Quarantined, Times: 2, Within: 24 * time.Hour},
		{Name: "GPU missing", Checks: []string{"GPUMissing"}, Then: Degraded},
		{Name: "XID condition", Checks: []string{"XIDErrors"}, Then: Suspect, Stays: calm},
		{Name: "NVLink down", Checks: []string{"NVLinkStatusInactive"}, Then: Suspect, Stays: calm},
		{Name: "NVLink stays down", Checks: []string{"NVLinkStatusInactive"}, Then: Quarantined, Lasts: 10 * time.Minute},
		{Name: "InfiniBand flaps", Checks: []string{"IBLinkFlapping"}, Then: Suspect, Quiet: time.Hour, Stays: calm},
		{Name: "InfiniBand flaps again", Checks: []string{"IBLinkFlapping"}, Then: Quarantined, Times: 3, Within: time.Hour},
		{Name: "clocks throttled", Checks: []string{"GPUClockThrottling"}, Then: Suspect, Lasts: 10 * time.Minute, Stays: calm},
		{Name: "VM event", Checks: []string{"VMEventScheduled"}, Then: Suspect, Stays: calm},
		{Name: "no heartbeat", Checks: []string{"NodeReady"}, Then: Suspect, Stays: 0},
		{Name: "no heartbeat for long", Checks: []string{"NodeReady"}, Then: Quarantined, Lasts: 5 * time.Minute},
		{Name: "kernel trouble", Checks: []string{"KernelDeadlock", "ReadonlyFilesystem", "FrequentKubeletRestart", "FrequentContainerdRestart"}, Then: Suspect, Stays: calm},
		{Name: "a person says so", Checks: []string{"OperatorReport"}, Fatal: true, Then: Quarantined},
		{Name: "to be replaced", Actions: []string{"REPLACE_VM", "RESTART_BM", "RUN_FIELDDIAG"}, Fatal: true, Then: Quarantined},
		{Name: "fatal, for whatever reason", Fatal: true, Then: Suspect, Stays: calm},
	}
}

// Knows says whether the rule is about a condition.
func (r *HealthRule) Knows(c *Condition) bool {
	return (!r.Fatal || c.Fatal) && among(r.Agents, c.Agent) && among(r.Checks, c.Check) &&
		among(r.Actions, c.Action) && anyAmong(r.Codes, c.Codes)
}

func among(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }

func anyAmong(list, xs []string) bool {
	if len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(xs, func(x string) bool { return slices.Contains(list, x) })
}

// Check says what is wrong with the policy, or nil.
func (p HealthPolicy) Check() error {
	names := map[string]bool{}
	for i, r := range p.Rules {
		if err := r.check(); err != nil {
			return fmt.Errorf("rule %d (%q): %w", i+1, r.Name, err)
		}
		if names[r.Name] {
			return fmt.Errorf("rule %d: %q is the name of another rule too", i+1, r.Name)
		}
		names[r.Name] = true
	}
	return p.checkFigures()
}

func (p HealthPolicy) checkFigures() error {
	for _, share := range []struct {
		name string
		is   Permille
	}{{"budget", p.Budget}, {"breaker share", p.Breaker.Share}, {"lemon certainty", p.Lemon.Certainty}} {
		if share.is < 0 || share.is > 1000 {
			return fmt.Errorf("%s %v is not between 0 and 1", share.name, float64(share.is)/1000)
		}
	}
	for _, d := range []time.Duration{p.Breaker.Within, p.Burst.Within, p.Burst.CoolDown, p.Flap.Within, p.Flap.CoolDown, p.Lemon.Window, p.Hung} {
		if d < 0 {
			return fmt.Errorf("a duration is negative; durations are zero or more")
		}
	}
	switch {
	case p.Breaker.Least < 1:
		return fmt.Errorf("breaker least %d; it takes at least 1 node", p.Breaker.Least)
	case p.Burst.Nodes < 2:
		return fmt.Errorf("burst nodes %d; many nodes are at least 2", p.Burst.Nodes)
	case p.Flap.Times < 2 || p.Flap.Times > FlapMemory:
		return fmt.Errorf("flap times %d; 2 to %d are possible", p.Flap.Times, FlapMemory)
	case p.Lemon.Factor < 1000:
		return fmt.Errorf("lemon factor %v; a lemon fails at least as often as the fleet: 1 or more", float64(p.Lemon.Factor)/1000)
	}
	return nil
}

func (r HealthRule) check() error {
	switch {
	case r.Name == "":
		return fmt.Errorf("it has no name; people read it as the reason")
	case r.Then != "" && r.Then != Suspect && r.Then != Quarantined && r.Then != Degraded:
		return fmt.Errorf("then %q is not one of suspect, quarantined, degraded (or left out: shown only)", r.Then)
	case r.Times < 0 || r.Times > SightMemory:
		return fmt.Errorf("times %d; 0 to %d are possible", r.Times, SightMemory)
	case r.Times > 1 && r.Within <= 0:
		return fmt.Errorf("times %d needs within: in how long a time", r.Times)
	case r.Within < 0 || r.Lasts < 0 || r.Quiet < 0 || r.Stays < 0:
		return fmt.Errorf("a duration is negative; durations are zero or more")
	case r.Own && r.Then != "":
		return fmt.Errorf("it is a sign about the work (own) and yet asks for %s; leave one out", r.Then)
	}
	return nil
}

// Equal says whether two policies say the same.
func (p *HealthPolicy) Equal(q HealthPolicy) bool {
	a, errA := json.Marshal(p)
	b, errB := json.Marshal(q)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
