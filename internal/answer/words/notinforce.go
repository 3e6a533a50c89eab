package words

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/text"
)

// sumOfCluster is a cluster with its sums, as the API tells of it.
type sumOfCluster[F interface{ GetPromisable() int32 }] interface {
	GetCluster() string
	GetMode() string
	GetFigures() F
}

// NotInForce says how much of what can be promised, in a sum over clusters, is in those where Muster starts nothing; "": none.
func NotInForce[F interface{ GetPromisable() int32 }, C sumOfCluster[F]](clusters []C) string {
	var where []string
	gpus := int32(0)
	for _, c := range clusters {
		if n := c.GetFigures().GetPromisable(); n > 0 && c.GetMode() != "" && c.GetMode() != "enforce" {
			gpus += n
			where = append(where, fmt.Sprintf("%s (mode %s)", c.GetCluster(), c.GetMode()))
		}
	}
	if gpus == 0 {
		return ""
	}
	return fmt.Sprintf("Of the GPUs that can be promised %s %s in %s, where Muster starts nothing.", text.Group(int(gpus)), text.Verb(gpus, "is", "are"), text.And(where))
}
