// Package lategc lets a process collect its first garbage at 16 MB and not at 4 MB: most commands of
// muster end before that, and need no collection at all. After the first one all is as usual.
//
// lategc.go does it. It needs nothing but the runtime, so it begins before nearly all other packages do, and what these
// make at the start is not collected either. A set GOGC is left alone.
package lategc
