// Package words says events as people would: "oak/base asks research/oak for 2×8 with
// priority mid". Pages and command line use the same sentences.
//
// Tell (words.go) is the entry: it says what an event is about, and what of it. The
// other files have the sentences, by subject; parts.go has what sentences are made of,
// which other rooms use too, and turn.go whose turn it is. An event that this room does not know (a server may be
// newer than its client) is told by its keys and values.
package words
