//go:build race

package server

// The race detector makes every process start and every command several times slower.
const (
	usualKills = 6
	slowed     = true
)
