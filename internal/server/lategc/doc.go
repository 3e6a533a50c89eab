// Package lategc puts off the collection of garbage while there is little of it. From the start on nothing is collected
// before the heap has 16 MB, and not 4 MB as usual: most commands of muster end before that, and need no collection at
// all. A server asks for a floor and a percentage of its own with Collect. A set GOGC is left alone.
//
// floor.go has all of it: how much garbage may stand beside what is in use, and from which size of the heap on. It needs
// nothing but the runtime, so it begins before nearly all other packages do, and what these make at the start is not
// collected either.
package lategc
