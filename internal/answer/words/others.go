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

// OfOthers is what work is called to who may not read it.
func OfOthers(n int) string { return text.OfOthers(n) }

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

// Named says whether a workload is called by its own name, and not as one of other teams.
func Named(work string) bool {
	is, _ := text.IsOfOthers(work)
	return !is
}

// Does is a verb after what a plan calls work, which may be several workloads of other teams.
func Does(work, one, many string) string {
	if _, are := text.IsOfOthers(work); are {
		return many
	}
	return one
}
