// Package pgtest starts PostgreSQL servers for tests: real ones, from what is installed on
// this machine, in a folder of the test. Where none is installed a test is skipped, and says so.
package pgtest
