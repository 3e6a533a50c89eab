// Command mutate asks whether the tests of internal/decide notice mistakes there:
//
//	go run ./internal/prove/mutate -n 100
//
// It draws places at random (sites.go), and writes every mistake beside the right
// code, behind a number that the process reads from its environment (rewrite.go). So
// the tests are compiled once, with go's overlay and without touching a file. They are
// run once without a mistake, and tell which places they reach. Then each mutant runs the
// tests that reach its place, until the first failure or a time limit: first those that
// have noticed the most mutants in a second of processor time (suite.go, run.go).
//
// It prints the seed, the share of mutants that were caught, and number and place of each
// survivor. A survivor is a missing test, or a mistake that makes no difference. With the
// same seed, -n and code, -only 17,230 tries those two again.
package main
