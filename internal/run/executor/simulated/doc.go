// Package simulated carries out updates without any node: they take about as long as they say,
// and fail as often as is asked, all of it a function of a seed.
//
// How an order goes follows from its ID alone, so a process that starts again finds the same.
package simulated
