package api

import (
	"context"
	"io"
	"net/http"
	"strings"

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
	watchRequest = 64 << 10
	maxKey       = 128
)

// limitOf is what a request of a procedure may weigh.
func limitOf(procedure string, operator bool) int {
	switch {
	case streams[procedure]:
		return watchRequest // how many streams are asked for at a time is not bounded by their size
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

// What an answer may weigh, in bytes: usually, and as a stream, where it lists what is
// there. Who asks for a stream says so, and reads it piece by piece.
const (
	usualAnswer = 1_000_000
	wholeAnswer = 64 << 20
)

// headerLarge says that a caller takes a large answer as a stream.
const (
	headerLarge = "Muster-Large"
	asStream    = "stream"
)

// paged is what the entries of a list that comes in pages may weigh, so that the page is
// an answer as usual; perEntry is what the list adds to each.
const (
	paged    = usualAnswer - 64<<10
	perEntry = 4
)

// whole are the procedures that list the fleet: what they answer grows with it, not
// with what is asked, so it may be a stream.
var whole = map[string]bool{
	musterv1connect.CapacityServiceNodesProcedure:    true,
	musterv1connect.CapacityServiceCapacityProcedure: true,
	musterv1connect.CapacityServiceFreeProcedure:     true,
	musterv1connect.CapacityServiceFlexProcedure:     true,
	musterv1connect.FleetServiceGetFleetProcedure:    true,
	musterv1connect.QuotaServiceListQuotasProcedure:  true,
	// What people and programs have entered: of a large fleet, and over years, that is much.
	musterv1connect.AccessServiceListRolesProcedure:               true,
	musterv1connect.AccessServiceListTokensProcedure:              true,
	musterv1connect.AccessServiceListSessionsProcedure:            true,
	musterv1connect.AccessServiceListProposalsProcedure:           true,
	musterv1connect.BuildoutServiceListBlueprintsProcedure:        true,
	musterv1connect.BuildoutServiceListClustersProcedure:          true,
	musterv1connect.FleetServiceListIncidentsProcedure:            true,
	musterv1connect.MaintenanceServiceGetMaintenanceProcedure:     true,
	musterv1connect.HaircutServiceListHaircutsProcedure:           true,
	musterv1connect.HealthServiceListSignalsProcedure:             true,
	musterv1connect.RequestServiceListRequestsProcedure:           true,
	musterv1connect.SubscriptionServiceListSubscriptionsProcedure: true,
	// One record may be the submission of ten thousand workloads.
	musterv1connect.EventServiceListEventsProcedure: true,
	// What a trial of such a submission says.
	musterv1connect.WorkloadServiceSubmitBatchProcedure: true,
	musterv1connect.FleetServiceApplyProcedure:          true,
	// What each row of a sheet leads to.
	musterv1connect.BuildoutServiceImportClustersProcedure: true,
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
		if m, ok := res.Any().(proto.Message); ok {
			err = sendable(sizeOf(m, inJSON(req)), whole[req.Spec().Procedure], headerOf(req.Header(), headerLarge) == asStream)
		}
		if err != nil {
			return nil, err
		}
		return res, nil
	}
}

// room is what the entries of a page may weigh for a caller: in JSON each is up to five times as long, as it says what is empty, too.
func room(ctx context.Context) int {
	if info, ok := connect.CallInfoForHandlerContext(ctx); ok && isJSON(info.RequestHeader(), info.Peer()) {
		return paged / 6
	}
	return paged
}

func inJSON(req connect.AnyRequest) bool { return isJSON(req.Header(), req.Peer()) }

// isJSON says whether a call is answered in JSON. By GET its address says so, and no header.
func isJSON(h http.Header, p connect.Peer) bool {
	return strings.Contains(headerOf(h, "Content-Type"), "json") || strings.Contains(p.Query.Get("encoding"), "json")
}

// sizeOf is how large a message is as it is sent.
func sizeOf(m proto.Message, json bool) int {
	size := proto.Size(m)
	if size <= usualAnswer/16 || !json {
		return size
	}
	text, err := writeJSON.Marshal(m)
	if err != nil {
		return size // it will not be sent, for the same reason
	}
	return len(text)
}

// sendable refuses an answer of a size that is not sent. lists: it grows with the fleet.
// streamed: the caller takes it as a stream.
func sendable(size int, lists, streamed bool) error {
	switch {
	case size <= usualAnswer, size <= wholeAnswer && lists && streamed:
		return nil
	case size <= wholeAnswer && lists:
		return tooMuch("the answer would have %d bytes, and at most %d are sent at once; ask for less: name a scope, or take it as a stream (header %s: %s)", size, usualAnswer, headerLarge, asStream)
	}
	return tooMuch("the answer would have %d bytes, and at most %d are sent at once; ask for less: name a scope, or a smaller limit", size, usualAnswer)
}

// WrapStreamingHandler is part of connect.Interceptor; a stream is as long as it is.
func (answers) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (answers) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
