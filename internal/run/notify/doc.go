// Package notify tells people what happened to them: evictions, mended gangs,
// cuts, broken promises, incidents and tripped breakers, as signed webhooks to
// those who subscribed.
//
// It follows the log from beside the engine, so no decision ever waits for a
// receiver.
//
//	notice.go    which records are worth telling, in words (pure)
//	planned.go   the same of planned work (pure)
//	lives.go     the same of clusters that are built (pure)
//	outbox.go    what one subscription has still to get; drops what it has just got
//	sender.go    calls the URL, signed (sign.go), until it answers 2xx or a day is over
//	egress.go    where they may call
//	notifier.go  ties them together; disk.go keeps the cursors and the key
//
// A receiver gets every notice at least once, in order, each with an ID that
// never changes: after a crash one may come twice.
package notify
