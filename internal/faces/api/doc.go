// Package api is Muster over the network: the services of proto/muster/v1, for
// gRPC, gRPC-Web, Connect and plain JSON, on one port.
//
// A request passes, in this order: who is asking (identity.go, tokens.go,
// local.go), how large it is (limits.go), what is wrong with it (validate.go),
// and then its service (service_*.go). A service has the message translated into a
// command and hands it to the engine (write.go), or asks the state and has the answer
// translated (read.go). The translation, both ways, is the room wire. What comes
// back as a refusal, an error or a panic becomes an error of the protocol in one
// place (fail.go). server.go puts it all together.
// Which action each RPC is stands in rights.go, and how long questions take turns in turns.go.
//
// The engine is an interface of this room (engine.go), so that nothing here
// knows how commands are decided or kept.
package api
