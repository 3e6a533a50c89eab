// Package frame is what all pages share: how a request becomes a page, and what stands
// around it.
//
// A page is a function of a Visit: the request, the reader, the moment that the page is
// about, and the API to ask. It returns a Page or an error, which becomes a page of its
// own (fail.go). Site serves such functions.
//
//	site.go      makes handlers of them
//	page.go      renders a page, with what stands around it (layout.templ)
//	head.go      what every page says of the server and the reader
//	nowhere.go   answers addresses without a page, and asks nothing
//	banner.go    warnings, and who acknowledged them; concern.go says on which pages they stand
//	field.go     what people call the fields that the API refuses
//	patience.go  sends the frame first where figures take long; limits pages made at a time
//	places.go    the places at which pages are made, and who has the next one
//	live.go      tells open pages that something changed
//	refresh.go   makes what they then ask for, once for all of them
//	session.go   knows browsers apart and seals their forms
package frame
