// Package ask is how pages ask the API: in process, as the reader of the page.
//
// Client gives the public client of the API over a transport without a network
// (transport.go), so that a page gets the same checks, answers and refusals as the
// command line. A cache (cache.go) hands one answer to all pages that ask the same
// question at about the same time. Shelf (shelf.go) keeps its entries within bounds, as it does
// what frame keeps.
package ask
