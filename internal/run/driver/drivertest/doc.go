// Package drivertest is the conformance suite of package driver: what every driver must do,
// whatever it starts work on. A driver's own tests call Run and add only what is particular
// to it: its delays, its faults, how it counts progress.
//
// drivertest.go has the suite and its helpers, orders.go the cases of what is started and
// stopped, resync.go those of what is told again.
package drivertest
