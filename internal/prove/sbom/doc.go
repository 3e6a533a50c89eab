// Command sbom writes what a program of Go is made of, as CycloneDX 1.5 in JSON: the modules
// that stand in the program itself, with their versions and checksums. The same program
// gives the same bytes.
//
//	go run ./internal/prove/sbom bin/muster > muster.cdx.json
//
// main.go reads the program, bill.go makes the bill.
package main
