// Package prose holds the project's English. Its tests say which phrases may not stand in
// documents, comments and messages, and how long a sentence may be. They ask whether every
// link leads somewhere, and whether every section of the contract that the code cites
// exists. It has no code of its own to import.
//
// phrases_test.go is the table of phrases and what to write instead. sentences_test.go
// holds the bounds. markdown_test.go and gosource_test.go find the prose in a file.
// prose_test.go runs the rules over the repository and keeps testdata/unheld.txt, the list of
// files that do not pass yet. A file that
// passes must leave that list:
//
//	go test ./internal/prove/prose -update           # takes files that pass off the list
//	go test ./internal/prove/prose -show docs/faq.md # what is wrong in the files of that prefix
//
// links_test.go and contract_test.go check references.
package prose
