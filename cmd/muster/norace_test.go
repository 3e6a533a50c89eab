//go:build !race

package main

const usualKills = 25
