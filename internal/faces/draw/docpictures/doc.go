// Command docpictures draws the pictures of the documents that explain Muster:
//
//	go run ./internal/faces/draw/docpictures docs/img
//
// canvas.go has the elements (boxes, nodes, words, arrows) in the colours of
// package draw; promise.go, room.go and mend.go are the three pictures of
// docs/how-it-works.md, floors.go is the one of docs/architecture.md. A test
// compares the files under docs/img with what this program draws.
package main
