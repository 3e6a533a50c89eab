// Package web is Muster's pages: rendered on the server, in the same binary, saying what
// the command line says.
//
// routes.go says which function answers which address; server.go has what every answer
// and the assets need. Below it:
//
//	frame      how a request becomes a page, and what stands around it
//	parts      what pages are composed of: figures, terms, pictures, commands
//	ask        how pages ask the API: in process, as their reader
//	islands    nodes drawn island by island
//	change     the forms by which pages change something
//	a folder for each page or family of pages: fleet, partition, run, workload, queue,
//	team, haircut, promise, node, events, incident, coming, shadow, maintenance, buildout,
//	session, reference
//
// A page asks the API, turns the answer into rows and a picture (package draw), and templ
// writes the HTML. Files named *_templ.go are generated from the .templ files beside them
// by `make generate`. Everything else that browsers load is in assets, and comes from this
// binary; e2e opens the pages in a browser.
package web
