// Package siege measures what one hostile caller costs all others: the figures of
// `muster bench siege`.
//
// A server of the same program is started as a process of its own (fort.go), with a tokens
// file. People have its pages open and programs submit work (crowd.go); what they wait is
// measured without the hostile caller and beside it (siege.go). The hostile caller has an
// ordinary token, an address of its own, and does all that is known to be costly at once
// (foe.go, connections.go). Before that each of its requests is sent alone, for what it costs by
// itself (single.go).
//
// The hostile caller is a process of its own (hostile.go). It takes the processor only where server
// and people leave it (giveway_linux.go), as if it had a machine of its own. So what is measured is
// what its calls cost the server, and not what it costs to make them. How many processors each side
// had is said (processor.go).
//
// Everything goes over HTTP, as attacks do: the room knows the paths and the JSON of the API,
// and no code of the server's.
package siege
