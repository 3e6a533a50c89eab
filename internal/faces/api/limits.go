package api

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// What a request may weigh, in bytes.
const (
	maxRequest = 4 << 20
	maxBatch   = 64 << 20
	maxKey     = 128
)

// limitOf is what a request of a procedure may weigh.
func limitOf(procedure string) int {
	switch procedure {
	case musterv1connect.FleetServiceApplyProcedure, musterv1connect.WorkloadServiceSubmitBatchProcedure,
		musterv1connect.HealthServiceSendSignalsProcedure:
		return maxBatch
	}
	return maxRequest
}

// limits makes the protocol stop to read a request that is larger than it said.
func limits(spec connect.Spec) []connect.HandlerOption {
	return []connect.HandlerOption{connect.WithReadMaxBytes(limitOf(spec.Procedure))}
}

// tooLarge refuses a request by what it says of its size, before any of it is read.
func tooLarge(r *http.Request) error {
	if limit := limitOf(r.URL.Path); r.ContentLength > int64(limit) {
		return wire.Wrong("request", "has %d bytes, at most %d are read; send less, or a batch in parts", r.ContentLength, limit)
	}
	return nil
}
