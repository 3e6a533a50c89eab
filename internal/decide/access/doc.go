// Package access decides who may do what. There is one table (table.go): a row is an
// action and the roles that allow it. Commands name their action in the core's table,
// RPCs in the API's, so that both stand on this one.
//
// A role is held in a scope: a namespace, a quota with those below it, a cluster, or the
// whole fleet (fleet.Scope). Rights come from bindings, which are part of the state, and from
// what a sign-in brings along (rights.go). A namespace belongs to those who are bound to
// it: a claim makes no member.
//
// To add an action: a constant and a row in table.go, then its name in the row of the
// command or the RPC.
package access
