package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// uncordonable are the states from which uncordon takes nodes: those of cordon and drain, and healthy, where there is
// nothing to do.
var uncordonable = []string{"suspect", "maintenance", "healthy"}

// checkUncordon refuses to take nodes back that are out for another reason than cordon or drain: a fault that came since
// would be overridden by who takes back a drain. Names that no node has are the server's to refuse. It returns what
// there is to say: of nodes that are healthy already, that nothing was taken back.
func (o *nodeSetOptions) checkUncordon(ctx context.Context, names []string, done string) (said string, err error) {
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: names})
	if err != nil {
		return "", err
	}
	var back, healthy []string
	for _, n := range res.GetNodes() {
		if !slices.Contains(uncordonable, n.GetState()) {
			return "", &client.Refusal{Code: client.WrongState, Message: fmt.Sprintf(
				"%s is %s%s, and neither cordoned nor drained; muster describe node %s says why, and muster node set %s --state healthy takes it back anyway",
				n.GetName(), n.GetState(), prefixed(": ", n.GetSignal()), n.GetName(), n.GetName())}
		}
		if n.GetState() == "healthy" {
			healthy = append(healthy, n.GetName())
		} else {
			back = append(back, n.GetName())
		}
	}
	var parts []string
	if len(back) > 0 {
		parts = append(parts, words.Few(text.Folded(back), 4)+": "+done)
	}
	if len(healthy) > 0 {
		parts = append(parts, words.Few(text.Folded(healthy), 4)+": healthy already, nothing to take back")
	}
	return strings.Join(parts, "; "), nil
}
