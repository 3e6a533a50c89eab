// Package draw makes pictures of figures: SVG, drawn on the server, the same
// bytes for a page, a file and a message.
//
// A drawing is a function from figures to an SVG; it reads nothing else. Colours
// are meanings (ink.go): every shape carries its light colour, so that a file
// looks right by itself, and a class, so that a page may darken it (Stylesheet).
// Colour is never alone: what differs in colour differs in hatching, shape or
// place, too. pen.go writes the elements, text.go measures words so that they
// fit, axis.go rules lines, and each other file is one picture.
//
// Pictures with words beside them come in two widths (Width): a phone gets one
// that was drawn for it, not one that was shrunk.
package draw
