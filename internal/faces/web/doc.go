// Package web is Muster's pages: rendered on the server, in the same binary,
// saying what the CLI says.
//
// A page asks the API itself, in process, as its reader (inside.go): the same
// checks, the same answers, the same refusals as for the CLI. It turns the answer
// into rows and a picture (package draw), and templ writes the HTML. server.go
// has the routes; visit.go is one request; frame.go what all pages share: who
// reads, which moment, what everybody must see. live.go tells open pages that
// something changed, session.go knows browsers apart, change.go is how a page
// writes, fail.go what is shown when there is no answer, words.go what each word
// means. page_*.go with page_*.templ are the pages.
//
// Files named *_templ.go are generated from the .templ files beside them by `make
// generate`. What browsers load besides is in assets, all of it from this binary.
package web
