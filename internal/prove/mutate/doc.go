// Command mutate asks whether the tests of internal/decide notice mistakes there:
//
//	go run ./internal/prove/mutate -n 100
//
// It draws places at random (sites.go), and writes every mistake beside the right
// code, behind a number that the process reads from its environment (rewrite.go). So
// the tests are compiled once, with go's overlay and without touching a file; then
// each mutant runs them until the first failure or a time limit (run.go). It prints
// the seed, the share of mutants that were caught, and the place of each survivor.
// A survivor is a missing test, or a mistake that makes no difference.
package main
