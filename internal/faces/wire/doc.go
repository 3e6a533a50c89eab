// Package wire translates between the messages of the API and the nouns of package fleet.
//
// It has one rule of names. What is named for a noun makes its message: Policy turns a
// fleet.Policy into a musterv1.Policy. What begins with Read goes the other way: it makes
// a noun, or a command, of a message, gives what the message leaves out the contract's
// default, and returns a Mistake with the field where the message makes no sense.
//
// The server uses both ways to answer calls; who holds a fleet against a fleet file
// through the API uses them as a client (ReadState, Change).
//
// Files follow the subjects of the API: fleet, capacity, quota, work, health, haircut,
// past and event make messages, and each read_… file reads those of its subject.
package wire
