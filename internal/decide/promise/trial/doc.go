// Package trial makes the promises that a buffer policy would have made of a pool's
// recorded past: hour by hour, knowing nothing but what was before.
//
// Who judges them (package backtest from a file or a journal, package past from what
// a server remembers) asks an Issuer for each hour, and then lets it learn the hour.
package trial
