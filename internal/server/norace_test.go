//go:build !race

package server

const (
	usualKills = 25
	slowed     = false
)
