package web

// Patterns lists the addresses of the pages.
func Patterns() (list []string) {
	for _, p := range pages {
		list = append(list, p.pattern)
	}
	return list
}
