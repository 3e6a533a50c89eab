package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// uncordonable are the states from which uncordon takes nodes: those of cordon and drain, and healthy, where there is
// nothing to do.
var uncordonable = []string{"suspect", "maintenance", "healthy"}

// checkUncordon refuses to take nodes back that are out for another reason than cordon or drain: a fault that came since
// would be overridden by who takes back a drain. Names that no node has are the server's to refuse.
func (o *nodeSetOptions) checkUncordon(ctx context.Context, names []string) error {
	res, err := o.client().Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: names})
	if err != nil {
		return err
	}
	for _, n := range res.GetNodes() {
		if !slices.Contains(uncordonable, n.GetState()) {
			return &client.Refusal{Code: client.WrongState, Message: fmt.Sprintf(
				"%s is %s%s, and neither cordoned nor drained; muster describe node %s says why, and muster node set %s --state healthy takes it back anyway",
				n.GetName(), n.GetState(), prefixed(": ", n.GetSignal()), n.GetName(), n.GetName())}
		}
	}
	return nil
}
