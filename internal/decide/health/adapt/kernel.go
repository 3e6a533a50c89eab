package adapt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// named finds an XID that a text names: "Xid 79", "XID errors: 79", "Xid (PCI:0000:10:1c): 63".
var named = regexp.MustCompile(`(?i)\bxid(?:\s+errors?)?(?:\s*\([^)]{0,64}\))?\s*[:=]?\s*(\d{1,4})\b`)

// kernelLine is how the driver writes an XID into the kernel's log.
var kernelLine = regexp.MustCompile(`NVRM: Xid \((?:PCI:)?([0-9A-Fa-f:.]{4,16})\): (\d{1,4})(?:, (.*))?`)

// mostXID is above any XID that there is.
const mostXID = 1000

// FromKernelLine is the signal of a line of a node's kernel log, where the line
// is about an XID: NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: ...
func FromKernelLine(node, line string, at fleet.Instant) (fleet.Signal, bool) {
	m := kernelLine.FindStringSubmatch(line)
	if m == nil {
		return fleet.Signal{}, false
	}
	code, err := strconv.Atoi(m[2])
	if err != nil || code == 0 || code >= mostXID {
		return fleet.Signal{}, false
	}
	s := xidSignal(agentKernel, node, fleet.Entity{Type: "PCI", Value: strings.ToLower(m[1])}, code, at)
	if m[3] != "" {
		s.Message = strings.ToValidUTF8(m[3], "?")
	}
	return s, true
}

// FromDCGM is the signal of an XID that DCGM saw on a GPU (field
// DCGM_FI_DEV_XID_ERRORS, or its policy's violation).
func FromDCGM(node string, gpu, code int, at fleet.Instant) fleet.Signal {
	return xidSignal(agentDCGM, node, fleet.Entity{Type: fleet.EntityGPU, Value: strconv.Itoa(gpu)}, code, at)
}

func xidSignal(agent, node string, on fleet.Entity, code int, at fleet.Instant) fleet.Signal {
	s := fleet.Signal{
		ID:    fmt.Sprintf("%s/%s/%d/%d", node, on, code, at),
		Agent: agent, Component: fleet.EntityGPU, Check: "XIDErrors", Node: node,
		Entities: []fleet.Entity{on}, Codes: []string{strconv.Itoa(code)}, At: at,
	}
	if x, ok := XIDOf(code); ok {
		s.Message, s.Action, s.Fatal = x.Meaning, x.Action, x.Severity == Fatal
	}
	return s
}
