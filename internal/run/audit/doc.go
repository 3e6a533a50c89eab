// Package audit keeps a record of what the journal does not have: calls that were refused,
// sign-ins, secrets that were read, tokens that were used. It is a file of JSON lines.
//
// Each line carries a code that depends on a secret key and on all lines before it
// (chain.go), so that a line that was changed, removed or added shows. Now and then a line
// is a head: it names all records of the journal up to a version by a SHA-256 chain. Heads
// can be copied elsewhere; then not even the key's owner can change the past unseen.
//
// A flood of refusals does not fill the disk: the same thing within a minute is one line
// with a count, and there is a limit of refusals for each caller and for each second (log.go).
// What was done is kept whatever is refused meanwhile.
package audit
