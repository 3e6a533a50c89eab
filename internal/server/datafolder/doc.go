// Package datafolder is the folder in which a server keeps its fleet: which file is which, that one
// process has it at a time (lock_unix.go), and that no user but the server's own reads it
// (private.go).
//
// Open takes it into possession. Its Demo mark keeps a demo's load away from a real fleet: the server
// compares it with how it was started.
package datafolder
