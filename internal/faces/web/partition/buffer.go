package partition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// keptBack says which buffer policy holds in a partition and of which scope it is, and which of its
// islands have one of their own; "" where the reader may not read it.
func keptBack(v *frame.Visit, id string) string {
	res, err := v.Fleet.GetFleet(v.Ctx, &musterv1.GetFleetRequest{AsOf: v.AsOf})
	if err != nil {
		return ""
	}
	text := inForce(res, id)
	var islands []string
	for scope, b := range res.GetBuffers() {
		if island, ok := strings.CutPrefix(scope, id+"/"); ok {
			islands = append(islands, island+" "+policyText(b))
		}
	}
	if len(islands) > 0 {
		slices.Sort(islands)
		text += " Islands with a policy of their own: " + strings.Join(islands, "; ") + "."
	}
	return text
}

// inForce is the policy of the closest scope.
func inForce(res *musterv1.GetFleetResponse, id string) string {
	cluster, _, _ := strings.Cut(id, "/")
	if b := res.GetBuffers()[id]; b != nil {
		return "Its buffer policy is its own: " + policyText(b) + "."
	}
	if b := res.GetBuffers()[cluster]; b != nil {
		return "Its buffer policy is that of cluster " + cluster + ": " + policyText(b) + "."
	}
	return "Its buffer policy is the fleet's: " + policyText(res.GetPolicy().GetBuffer()) + "."
}

func policyText(b *musterv1.Buffer) string {
	if words.BufferLearns(b.GetKind()) {
		return fmt.Sprintf("%s, %g %% of promises kept", b.GetKind(), 100*b.GetConfidence())
	}
	return fmt.Sprintf("%s, %g %% kept back", cmp.Or(b.GetKind(), "fixed"), 100*b.GetShare())
}
