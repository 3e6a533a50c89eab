package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// inventoryPath is where projects read which clusters there are: JSON for a program, or
// for the data source http of OpenTofu and Terraform.
const inventoryPath = "/v1/inventory"

// inventory answers with the clusters that are built. An answer that has not changed since is
// not sent again (If-None-Match).
func (s *service) inventory(w http.ResponseWriter, r *http.Request) {
	var v clusterlife.Inventory
	_, err := s.readNow(func(state *fleet.State, at fleet.Instant) error {
		v = clusterlife.InventoryOf(state, at)
		return nil
	})
	data, encoding := json.MarshalIndent(v, "", "  ")
	if err != nil || encoding != nil {
		http.Error(w, "the inventory cannot be read now", http.StatusServiceUnavailable)
		return
	}
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n'))
}
