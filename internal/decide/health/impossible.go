package health

import (
	"fmt"
	"strconv"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// CheckXID is the check whose codes are XIDs of the driver.
const CheckXID = "XIDErrors"

// checkParts refuses what cannot be on this node: a GPU by a number that it does
// not have, or an XID below 1. A GPU that is named otherwise, as by its UUID, and
// a code that is no number are kept: monitors have words of their own.
func checkParts(x *fleet.Signal, n *fleet.Node) error {
	for _, e := range x.Entities {
		if gpu, err := strconv.Atoi(e.Value); e.Type == fleet.EntityGPU && err == nil && (gpu < 0 || gpu >= n.GPUs) {
			return fmt.Errorf("node %q has %s, 0 to %d; there is no GPU %s", clip(x.Node), text.Count(n.GPUs, "GPU"), n.GPUs-1, clip(e.Value))
		}
	}
	for _, code := range x.Codes {
		if xid, err := strconv.Atoi(code); x.Check == CheckXID && err == nil && xid < 1 {
			return fmt.Errorf("node %q: %s is no XID; they are numbers from 1 on, as in 79", clip(x.Node), clip(code))
		}
	}
	return nil
}
