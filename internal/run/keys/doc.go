// Package keys is an index of idempotency keys by time: which record of the log bears a
// key, for the last seven days, however many commands there were.
//
// It knows hints, not truth: it names records that may bear a key, and the caller looks
// into the log. So a key costs 8 to 10 bytes of memory and 8 of disk. A day has a table of
// its own; a day that is over for a week goes as a whole.
//
// The files are a shortcut and never needed: what is missing, damaged or of another log is
// gathered again from the log.
//
//	index.go  days, and what is known since when
//	table.go  the keys of a day
//	file.go   what lies on disk
package keys
