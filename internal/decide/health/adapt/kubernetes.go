package adapt

import (
	"fmt"
	"strconv"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// NodeCondition is a condition of a Kubernetes node (core/v1 NodeCondition).
type NodeCondition struct {
	Node    string
	Type    string // GPUMissing
	Status  string // True, False or Unknown
	Reason  string
	Message string
	Since   fleet.Instant // lastTransitionTime
}

// kind is what a type of condition speaks of.
type kind struct {
	component string
	action    string
	fatal     bool
}

// kinds are the conditions whose meaning is known. All say by True that something
// is wrong. Sources: node-problem-detector's config folder (github.com/kubernetes/node-problem-detector), and AKS,
// "GPU health monitoring in Node Problem Detector" and "Node auto-repair"
// (learn.microsoft.com/azure/aks).
var kinds = map[string]kind{
	"GPUMissing":                {"GPU", "REPLACE_VM", false},
	"XIDErrors":                 {"GPU", "", false},
	"NVLinkStatusInactive":      {"NVLink", "COMPONENT_RESET", false},
	"IBLinkFlapping":            {"NIC", "CONTACT_SUPPORT", false},
	"GPUClockThrottling":        {"GPU", "NONE", false},
	"VMEventScheduled":          {"VM", "NONE", false},
	"KernelDeadlock":            {"OS", "RESTART_VM", false},
	"ReadonlyFilesystem":        {"OS", "RESTART_VM", false},
	"FrequentKubeletRestart":    {"OS", "", false},
	"FrequentContainerdRestart": {"OS", "", false},
	"FrequentDockerRestart":     {"OS", "", false},
	"MemoryPressure":            {"OS", "NONE", false},
	"DiskPressure":              {"OS", "NONE", false},
	"PIDPressure":               {"OS", "NONE", false},
	"NetworkUnavailable":        {"NIC", "", false},
}

// Agents of the signals made here.
const (
	agentKubelet = "kubelet"
	agentNPD     = "node-problem-detector"
	agentKernel  = "kernel"
	agentDCGM    = "dcgm"
)

// FromCondition is the signal of a node's condition. Ready is turned round: the
// check NodeReady fails unless it is True. An unknown type becomes a
// signal too, by its name. That neither is known to be so (Unknown) is no signal,
// except of Ready, which then means silence.
func FromCondition(c NodeCondition) (s fleet.Signal, ok bool) {
	s = fleet.Signal{
		ID:    fmt.Sprintf("%s/%s/%s/%d", c.Node, c.Type, c.Status, c.Since),
		Agent: agentNPD, Check: c.Type, Node: c.Node, Message: message(c), At: c.Since, Well: c.Status == "False",
	}
	switch {
	case c.Type == "Ready":
		s.Agent, s.Check, s.Component, s.Well = agentKubelet, "NodeReady", "OS", c.Status == "True"
		return s, c.Status == "True" || c.Status == "False" || c.Status == "Unknown"
	case c.Status != "True" && c.Status != "False":
		return fleet.Signal{}, false
	}
	k := kinds[c.Type]
	s.Component, s.Action, s.Fatal = k.component, k.action, k.fatal && !s.Well
	if c.Type == "XIDErrors" && !s.Well {
		s.Codes = codesIn(c.Message)
	}
	return s, true
}

func message(c NodeCondition) string {
	if c.Reason == "" || c.Message == "" {
		return c.Reason + c.Message
	}
	return c.Reason + ": " + c.Message
}

// codesIn lists the XIDs that a message names, in order of their first mention.
func codesIn(text string) []string {
	var codes []string
	seen := map[int]bool{}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < mostXID && !seen[n] && len(codes) < 16 {
			seen[n] = true
			codes = append(codes, strconv.Itoa(n))
		}
	}
	return codes
}
