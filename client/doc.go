// Package client talks to a Muster server.
//
// New gives a Client with one field per service of the API; their methods take
// and return the messages of gen/muster/v1. Three things are done for the caller:
//
//   - A refusal (the domain says no) comes as *Refusal, with its code and
//     figures; a server that cannot be reached as *Unreachable.
//   - A command whose answer was lost is sent again. It carries an idempotency
//     key, the caller's or one that is made up, so it is never done twice.
//   - Watch goes on where it was when a connection breaks.
package client
