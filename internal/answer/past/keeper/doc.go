// Package keeper keeps a past.Book up to date beside a running engine. It follows
// the log at its own pace, so that no decision waits for it. It saves the book's
// notes now and then, so that a restart reads only the end of the log.
//
// The notes are a shortcut and never needed: without them, or where they do not
// belong to this log, everything is gathered again from its beginning.
//
// keeper.go follows and answers, file.go is what lies on disk.
package keeper
