// Package retain drops old records of a journal, and keeps what is to be known of them.
//
// It keeps the state after the last of them, and the past as it is rolled up (answer/past). It
// keeps the link by which the audit log proves what follows, and the records that other rooms
// want word by word.
//
// All that is gathered by a replay from what the log began with, so it is in the journal itself
// and the same for every server. The state that the replay leads to must be the one that the
// newest snapshots lead to; else nothing is dropped.
package retain
