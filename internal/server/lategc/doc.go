// Package lategc puts off the collection of garbage while there is little of it. A process collects its first garbage
// at 16 MB and not at 4 MB: most commands of muster end before that, and need no collection at all. After the first
// one all is as usual, or as a server asks for with Collect.
//
// lategc.go has the first collection. It needs nothing but the runtime, so it begins before nearly all other packages
// do, and what these make at the start is not collected either. floor.go has Collect: how much garbage may stand beside
// what is in use, and from which size of the heap on. A set GOGC is left alone.
package lategc
