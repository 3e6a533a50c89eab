// Package keys is an index of idempotency keys by time: which record of the log bears a
// key, for the last seven days, however many commands there were.
//
// It knows hints, not truth: it names records that may bear a key, and the caller looks
// into the log. So a key costs 9 to 16 bytes of memory and 8 of disk. A day has tables of
// its own, more than one where it has many keys. A table goes as a whole: once its day is over for a
// week, or where there are more keys than an index knows at most.
//
// The files are a shortcut and never needed: what is missing, damaged or of another log is
// gathered again from the log.
//
//	index.go  parts, and what is known since when
//	table.go  the keys of a part
//	file.go   what lies on disk
package keys
