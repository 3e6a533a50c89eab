package api

import (
	"context"
	"io"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// What a request may weigh, in bytes: of most procedures, of work in batches, and of what
// operators and monitors send by the thousands.
const (
	usualRequest = 1 << 20
	batchRequest = 4 << 20
	bulkRequest  = 8 << 20
	maxKey       = 128
)

// limitOf is what a request of a procedure may weigh.
func limitOf(procedure string, operator bool) int {
	switch {
	case procedure == musterv1connect.WorkloadServiceSubmitBatchProcedure:
		return batchRequest
	case bulk[procedure] && operator:
		return bulkRequest
	}
	return usualRequest
}

// bulk are the procedures whose requests name many nodes, changes or signals. All of
// them change the fleet as a whole, and are refused to everybody but operators anyway.
var bulk = map[string]bool{
	musterv1connect.FleetServiceApplyProcedure:             true,
	musterv1connect.FleetServiceAddIslandsProcedure:        true,
	musterv1connect.FleetServiceSetNodesProcedure:          true,
	musterv1connect.FleetServiceOpenIncidentProcedure:      true,
	musterv1connect.FleetServiceUpdateIncidentProcedure:    true,
	musterv1connect.HealthServiceSendSignalsProcedure:      true,
	musterv1connect.HealthServiceMeasureUsageProcedure:     true,
	musterv1connect.HealthServiceReleaseNodesProcedure:     true,
	musterv1connect.HealthServiceRecordValidationProcedure: true,
	musterv1connect.QuotaServiceSetAccessProcedure:         true,
	musterv1connect.CapacityServiceNodesProcedure:          true,
}

// limits makes the protocol stop to read a request that is larger than anybody's may
// be, packed or unpacked.
func limits(spec connect.Spec) []connect.HandlerOption {
	return []connect.HandlerOption{connect.WithReadMaxBytes(limitOf(spec.Procedure, true))}
}

// sized refuses a request by what it says of its size, before any of it is read, and
// sees to it that no more is read of one that does not say.
func sized(w http.ResponseWriter, r *http.Request, operator bool) error {
	limit := int64(limitOf(r.URL.Path, operator))
	if r.ContentLength > limit {
		return wire.Wrong("request", "has %d bytes, at most %d are read; send less, or a batch in parts", r.ContentLength, limit)
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{http.MaxBytesReader(w, r.Body, limit), r.Body}
	return nil
}

// What an answer may weigh that is no stream, in bytes: usually, and where it lists
// what is there, which no question can make more.
const (
	usualAnswer = 1 << 20
	wholeAnswer = 64 << 20
)

// paged is what the entries of a list that comes in pages may weigh, so that the page is
// an answer as usual; perEntry is what the list adds to each.
const (
	paged    = usualAnswer - 64<<10
	perEntry = 4
)

// whole are the procedures that list the fleet: what they answer grows with it, not
// with what is asked.
var whole = map[string]bool{
	musterv1connect.CapacityServiceNodesProcedure:    true,
	musterv1connect.CapacityServiceCapacityProcedure: true,
	musterv1connect.CapacityServiceFreeProcedure:     true,
	musterv1connect.CapacityServiceFlexProcedure:     true,
	musterv1connect.FleetServiceGetFleetProcedure:    true,
	musterv1connect.QuotaServiceListQuotasProcedure:  true,
	// One record may be the submission of ten thousand workloads.
	musterv1connect.EventServiceListEventsProcedure: true,
	// What a trial of such a submission says.
	musterv1connect.WorkloadServiceSubmitBatchProcedure: true,
	musterv1connect.FleetServiceApplyProcedure:          true,
}

// answers is the interceptor that sends no answer which is larger than it may be.
type answers struct{}

// WrapUnary is part of connect.Interceptor.
func (answers) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		res, err := next(ctx, req)
		if err != nil {
			return nil, err
		}
		limit := usualAnswer
		if whole[req.Spec().Procedure] {
			limit = wholeAnswer
		}
		if m, ok := res.Any().(proto.Message); ok && proto.Size(m) > limit {
			return nil, tooMuch("the answer would have %d bytes, and at most %d are sent at once; ask for less: name a scope, or a smaller limit", proto.Size(m), limit)
		}
		return res, nil
	}
}

// WrapStreamingHandler is part of connect.Interceptor; a stream is as long as it is.
func (answers) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (answers) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
