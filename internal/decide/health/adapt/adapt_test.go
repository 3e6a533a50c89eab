package adapt_test

import (
	"slices"
	"sort"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/muster-fleet/muster/internal/decide/health/adapt"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestConditionsOfNodes(t *testing.T) {
	for _, c := range []struct {
		is    adapt.NodeCondition
		ok    bool
		check string
		well  bool
		codes []string
	}{
		{adapt.NodeCondition{Type: "Ready", Status: "True"}, true, "NodeReady", true, nil},
		{adapt.NodeCondition{Type: "Ready", Status: "False"}, true, "NodeReady", false, nil},
		{adapt.NodeCondition{Type: "Ready", Status: "Unknown"}, true, "NodeReady", false, nil},
		{adapt.NodeCondition{Type: "GPUMissing", Status: "True", Message: "expected 8, found 7"}, true, "GPUMissing", false, nil},
		{adapt.NodeCondition{Type: "GPUMissing", Status: "False"}, true, "GPUMissing", true, nil},
		{adapt.NodeCondition{Type: "GPUMissing", Status: "Unknown"}, false, "", false, nil},
		{adapt.NodeCondition{Type: "XIDErrors", Status: "True", Message: "XID errors: 79 on GPU 3, then Xid 45 and xid 79"}, true, "XIDErrors", false, []string{"79", "45"}},
		{adapt.NodeCondition{Type: "XIDErrors", Status: "True", Message: "see the log"}, true, "XIDErrors", false, nil},
		{adapt.NodeCondition{Type: "MoonPhase", Status: "True"}, true, "MoonPhase", false, nil},
		{adapt.NodeCondition{Type: "Ready", Status: "perhaps"}, false, "NodeReady", false, nil},
	} {
		c.is.Node, c.is.Since = "n1", 7
		s, ok := adapt.FromCondition(c.is)
		if ok != c.ok {
			t.Errorf("%+v: a signal: %t", c.is, ok)
			continue
		}
		if ok && (s.Check != c.check || s.Well != c.well || !slices.Equal(s.Codes, c.codes) || s.Node != "n1" || s.At != 7 || s.Agent == "") {
			t.Errorf("%+v became %+v", c.is, s)
		}
	}
}

// Every condition that AKS documents asks for something by the default policy.
func TestTheDefaultPolicyKnowsTheConditionsOfAKS(t *testing.T) {
	rules := fleet.DefaultHealth().Rules
	for _, check := range []string{"GPUMissing", "XIDErrors", "NVLinkStatusInactive", "IBLinkFlapping", "GPUClockThrottling", "VMEventScheduled"} {
		s, _ := adapt.FromCondition(adapt.NodeCondition{Node: "n", Type: check, Status: "True", Since: 1})
		c := &fleet.Condition{Agent: s.Agent, Check: s.Check}
		if !slices.ContainsFunc(rules, func(r fleet.HealthRule) bool { return r.Knows(c) && r.Then != "" }) {
			t.Errorf("no rule asks for anything because of %s", check)
		}
	}
}

// The table is in order, complete in its columns, and the default policy agrees
// with it: a fatal code takes the node, an application's own does not.
func TestTheTableOfXIDsAndTheDefaultPolicyAgree(t *testing.T) {
	if !sort.SliceIsSorted(adapt.XIDs, func(i, j int) bool { return adapt.XIDs[i].Code < adapt.XIDs[j].Code }) {
		t.Error("the table is not in order of code")
	}
	for _, x := range adapt.XIDs {
		if x.Meaning == "" || x.Action == "" || x.Source == "" {
			t.Errorf("%+v lacks something", x)
		}
		s := adapt.FromDCGM("n", 3, x.Code, 1)
		c := &fleet.Condition{Agent: s.Agent, Check: s.Check, Codes: s.Codes, Fatal: s.Fatal, Action: s.Action}
		worst, own := fleet.NodeState(""), false
		for _, r := range fleet.DefaultHealth().Rules {
			if !r.Knows(c) {
				continue
			}
			if r.Then == "" {
				own = r.Own
				break
			}
			if r.Then == fleet.Quarantined && r.Times == 0 {
				worst = fleet.Quarantined
			}
		}
		if x.Severity == adapt.Fatal && worst != fleet.Quarantined {
			t.Errorf("XID %d is fatal, and no rule quarantines its node", x.Code)
		}
		if x.Severity != adapt.Fatal && worst == fleet.Quarantined {
			t.Errorf("XID %d is %s, and a rule quarantines its node at once", x.Code, x.Severity)
		}
		if (x.Severity == adapt.Application) != own && x.Severity != adapt.Note {
			t.Errorf("XID %d is %s; the policy takes it for the program's own: %t", x.Code, x.Severity, own)
		}
	}
}

func TestLinesOfTheKernel(t *testing.T) {
	s, ok := adapt.FromKernelLine("n1", "Nov 22 18:29:55 host kernel: [ 966.503025] NVRM: Xid (PCI:0000:10:1C): 79, pid=1896, GPU has fallen off the bus.", 9)
	if !ok || !slices.Equal(s.Codes, []string{"79"}) || s.Entities[0].Value != "0000:10:1c" || !s.Fatal || s.Action != "RESTART_BM" {
		t.Errorf("%t %+v", ok, s)
	}
	for _, line := range []string{"", "NVRM: Xid (PCI:0000:10:1c): , x", "NVRM: Xid (0000:01:00): 99999", "NVRM: Xid (0000:01:00): 0, pid=1896", "kernel: eth0 up"} {
		if s, ok := adapt.FromKernelLine("n1", line, 9); ok {
			t.Errorf("%q became %+v", line, s)
		}
	}
}

// FuzzFromKernelLine: no line makes it panic, and what it makes is a signal that can be kept.
func FuzzFromKernelLine(f *testing.F) {
	f.Add("NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked")
	f.Add("NVRM: Xid (0000:01:00): 31, Ch 0000000b")
	f.Fuzz(func(t *testing.T, line string) {
		s, ok := adapt.FromKernelLine("n", line, 1)
		if !ok {
			return
		}
		if n, err := strconv.Atoi(s.Codes[0]); err != nil || n <= 0 || !utf8.ValidString(s.Message) || len(s.Entities) != 1 {
			t.Errorf("%q became %+v", line, s)
		}
	})
}

// FuzzFromCondition: no condition makes it panic, and its codes are numbers.
func FuzzFromCondition(f *testing.F) {
	f.Add("XIDErrors", "True", "r", "XID errors: 79")
	f.Add("Ready", "Unknown", "", "kubelet stopped posting")
	f.Fuzz(func(t *testing.T, kind, status, reason, message string) {
		s, ok := adapt.FromCondition(adapt.NodeCondition{Node: "n", Type: kind, Status: status, Reason: reason, Message: message, Since: 1})
		for _, code := range s.Codes {
			if _, err := strconv.Atoi(code); err != nil || !ok {
				t.Errorf("%q became %+v", message, s)
			}
		}
	})
}
