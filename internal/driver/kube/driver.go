package kube

import (
	"sync"

	"github.com/muster-fleet/muster/internal/driver"
	"github.com/muster-fleet/muster/internal/fleet"
)

// Driver takes note of what Muster decides. The agent carries it out: it compares
// what should stand with what does.
type Driver struct {
	mu   sync.Mutex
	news chan struct{} // has room for one: something was decided
}

var _ driver.Driver = (*Driver)(nil)

// NewDriver is a driver that was told nothing yet.
func NewDriver() *Driver { return &Driver{news: make(chan struct{}, 1)} }

// Run takes note that replicas should run.
func (d *Driver) Run(fleet.Instant, driver.Job, []fleet.Spot, bool) {}

// Stop takes note that replicas should leave.
func (d *Driver) Stop(fleet.Instant, uint64, []fleet.Spot, fleet.Instant) {}

// Lost takes note that replicas went down with their node.
func (d *Driver) Lost(fleet.Instant, uint64, []fleet.Spot) {}

// Gone takes note that a workload is over.
func (d *Driver) Gone(fleet.Instant, uint64) {}

// Again takes note of all that stands of one workload.
func (d *Driver) Again(fleet.Instant, driver.Standing) {}

// Resync takes note of all that stands.
func (d *Driver) Resync(fleet.Instant, []driver.Standing) {}
