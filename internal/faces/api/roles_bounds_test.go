package api_test

import (
	"context"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Callers that run the fleet by their role follow more streams than one user may.
func TestRolesCountForBounds(t *testing.T) {
	s := staff(t)
	for account, more := range map[string]bool{
		"admin.fleet": true, "manager.quota": true, "fleet-engineer.cluster": true,
		"researcher.namespace": false, "builder.fleet": false, "none": false,
	} {
		ctx, end := context.WithCancel(t.Context())
		c, open := s.as(s.secrets[account], ""), 0
		for range 33 {
			stream, err := c.Events.Watch(ctx, &musterv1.WatchRequest{From: 1})
			if err != nil || !stream.Receive() {
				break
			}
			open++
		}
		equal(t, "the 33rd stream of "+account, open == 33, more)
		end()
	}
}
