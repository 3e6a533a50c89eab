package client

import (
	"context"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// follower asks for the rest of a list, up to the limit that was asked for: a server sends
// fewer entries at once where they are long.
type follower struct{}

// What a list has if no limit is named.
const (
	usualWorkloads = 1000
	usualRecords   = 100
)

// headerLarge says that a large answer may come as a stream: this client reads it as it comes.
const headerLarge = "Muster-Large"

var asStream = []string{"stream"}

// WrapUnary is part of connect.Interceptor.
func (follower) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		req.Header()[headerLarge] = asStream
		res, err := next(ctx, req)
		if err != nil {
			return res, err
		}
		switch m := req.Any().(type) {
		case *musterv1.ListWorkloadsRequest:
			return res, restOfWorkloads(ctx, next, req, m, res.Any().(*musterv1.ListWorkloadsResponse))
		case *musterv1.ListEventsRequest:
			return res, restOfEvents(ctx, next, req, m, res.Any().(*musterv1.ListEventsResponse))
		}
		return res, nil
	}
}

// restOfWorkloads adds to a list of workloads what was asked for besides.
func restOfWorkloads(ctx context.Context, next connect.UnaryFunc, req connect.AnyRequest, m *musterv1.ListWorkloadsRequest, list *musterv1.ListWorkloadsResponse) error {
	from, limit := m.From, m.Limit
	defer func() { m.From, m.Limit = from, limit }()
	for left := orElse(limit, usualWorkloads) - len(list.Workloads); left > 0 && list.Next != 0; left = orElse(limit, usualWorkloads) - len(list.Workloads) {
		m.From, m.Limit = list.Next, int32(left)
		res, err := next(ctx, req)
		if err != nil {
			return err
		}
		more := res.Any().(*musterv1.ListWorkloadsResponse)
		list.Workloads, list.Next = append(list.Workloads, more.Workloads...), more.Next
	}
	return nil
}

// restOfEvents adds to a list of records what was asked for besides.
func restOfEvents(ctx context.Context, next connect.UnaryFunc, req connect.AnyRequest, m *musterv1.ListEventsRequest, list *musterv1.ListEventsResponse) error {
	from, limit := m.From, m.Limit
	defer func() { m.From, m.Limit = from, limit }()
	for left := orElse(limit, usualRecords) - len(list.Records); left > 0 && list.Next != 0; left = orElse(limit, usualRecords) - len(list.Records) {
		m.From, m.Limit = list.Next, int32(left)
		res, err := next(ctx, req)
		if err != nil {
			return err
		}
		more := res.Any().(*musterv1.ListEventsResponse)
		list.Records, list.Next = append(list.Records, more.Records...), more.Next
	}
	return nil
}

// orElse is n, or what stands for 0.
func orElse(n int32, other int) int {
	if n == 0 {
		return other
	}
	return int(n)
}

// WrapStreamingClient is part of connect.Interceptor.
func (follower) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler is part of connect.Interceptor; a client has no handlers.
func (follower) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
