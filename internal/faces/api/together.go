package api

import (
	"slices"

	"connectrpc.com/connect"
)

// together are interceptors that stand as one, in the order in which a request meets them. Before each that it is given, the
// protocol's library looks through all contexts of a call, twice.
type together []connect.Interceptor

// WrapUnary is part of connect.Interceptor.
func (t together) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	for _, one := range slices.Backward(t) {
		next = one.WrapUnary(next)
	}
	return next
}

// WrapStreamingHandler is part of connect.Interceptor.
func (t together) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	for _, one := range slices.Backward(t) {
		next = one.WrapStreamingHandler(next)
	}
	return next
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (together) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
