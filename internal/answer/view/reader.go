package view

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Sees says whether a reader may read a workload in full, with its name. nil: they may read all.
type Sees func(*fleet.Workload) bool

// Reader is who asks what they can use: whose holds are theirs, and which work they may read.
type Reader struct {
	User, Namespace string
	Sees            Sees
}

// May is Sees, and true where that is nil.
func (sees Sees) May(w *fleet.Workload) bool { return sees == nil || sees(w) }

// Name is what a workload is called to the reader.
func (sees Sees) Name(w *fleet.Workload) string {
	if sees.May(w) {
		return w.Namespace + "/" + w.Name
	}
	return text.OfOthers(1)
}
