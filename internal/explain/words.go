package explain

import "strings"

// joined lists names for a sentence; many are cut short.
func joined(names []string) string {
	const most = 4
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
