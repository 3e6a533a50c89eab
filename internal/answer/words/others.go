package words

import "fmt"

// Others says how many workloads a list leaves out that its reader may not read; "": none.
func Others(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "There is 1 workload of another team, which you may not read."
	}
	return fmt.Sprintf("There are %d workloads of other teams, which you may not read.", n)
}
