package link

import (
	"path/filepath"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// alone changes who is enrolled while no other process does: a renewal that runs beside a revocation
// would enrol the agent again. Where systems have no locks, revoke an agent again if its certificate was just then renewed.
func (a *Authority) alone(change func() error) error {
	free, err := wholefile.Alone(filepath.Join(a.dir, ".lock"))
	if err != nil {
		return err
	}
	defer free()
	return change()
}
