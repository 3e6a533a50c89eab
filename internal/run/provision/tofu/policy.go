package tofu

import (
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

// destroyed lists what a plan destroys, also to make it anew, by address. Every kind may
// carry GPUs or state, but those that are named harmless.
func destroyed(p *tfjson.Plan, harmless []string) (list []string) {
	for _, c := range p.ResourceChanges {
		if c.Change == nil || c.Mode != tfjson.ManagedResourceMode || slices.Contains(harmless, c.Type) {
			continue
		}
		if a := c.Change.Actions; a.Delete() || a.Replace() {
			list = append(list, c.Address)
		}
	}
	slices.Sort(list)
	return list
}
