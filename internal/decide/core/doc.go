// Package core is the only place that turns commands into events and events
// into state.
//
// Step is the whole of it: Decide asks what a command means for the state
// (events, or a refusal), Apply puts events into the state, and Settle lets
// promise and placement react until nothing more changes. All of it is a pure
// function of the state, the request and one moment.
package core
