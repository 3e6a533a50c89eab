package words

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Others says how many workloads a list leaves out that its reader may not read; "": none.
func Others(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "There is 1 workload of another team, which you may not read."
	}
	return fmt.Sprintf("There are %s of other teams, which you may not read.", text.Count(n, "workload"))
}

// OtherNamespaces stands for namespaces that are not named, since their work may not be read.
func OtherNamespaces(n int) string { return text.Count(n, "other") }

// WorkOn names the work on a node, and at the end how much there is of other teams'.
func WorkOn(n interface {
	GetWorkloads() []string
	GetOthers() int32
},
) []string {
	if n.GetOthers() == 0 {
		return n.GetWorkloads()
	}
	return append(slices.Clone(n.GetWorkloads()), text.Count(int(n.GetOthers()), "other"))
}
