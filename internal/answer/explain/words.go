package explain

import (
	"fmt"
	"strings"
)

// joined lists names for a sentence; many are cut short.
func joined(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return "no workload"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

func words(format string, args ...any) string { return fmt.Sprintf(format, args...) }
