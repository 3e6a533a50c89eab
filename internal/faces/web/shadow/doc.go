// Package shadow compares what Muster would have decided, in a cluster where it does not
// act, with what happened.
package shadow
