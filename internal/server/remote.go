package server

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/prove/bench"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// remote serves an engine over the API on a free port of this machine.
func remote(e *engine.Engine) (bench.Server, error) {
	s, err := api.New(api.Options{Engine: decider{e, metrics.New(e.Read)}, Version: version()})
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	l, err := api.Listen(ctx, "127.0.0.1:0", false)
	if err != nil {
		end()
		return nil, err
	}
	r := &served{address: l.Addr().String(), end: end, done: make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx, l) }()
	return r, nil
}

// served is an engine that can be reached.
type served struct {
	address string
	end     context.CancelFunc
	done    chan error
}

// Dial is one more client.
func (s *served) Dial() bench.Caller {
	return caller{client.New(client.Options{Address: s.address})}
}

// Close ends the server.
func (s *served) Close() error {
	s.end()
	return <-s.done
}

// caller gives a bench's commands over the API.
type caller struct{ *client.Client }

// Submit submits a workload.
func (c caller) Submit(ctx context.Context, s fleet.Spec) error {
	_, err := c.Workloads.Submit(ctx, &musterv1.SubmitRequest{Spec: specMessage(s)})
	return err
}

// Cancel takes a workload back.
func (c caller) Cancel(ctx context.Context, namespace, name string) error {
	_, err := c.Workloads.Cancel(ctx, &musterv1.CancelRequest{Namespace: namespace, Name: name})
	return err
}

func specMessage(s fleet.Spec) *musterv1.WorkloadSpec {
	m := &musterv1.WorkloadSpec{
		Name: s.Name, Namespace: s.Namespace, Target: s.Target, Partition: s.Partition,
		Priority: s.Priority.String(), Grace: durationpb.New(s.Grace),
	}
	for _, p := range s.Pools {
		pool := &musterv1.Pool{Name: p.Name, Gpus: int32(p.GPUs), Rank: int32(p.Rank), Reach: string(p.Reach)}
		if p.Elastic {
			pool.Min, pool.Max = int32(p.Min), int32(p.Max)
		} else {
			pool.Replicas = int32(p.Min)
		}
		m.Pools = append(m.Pools, pool)
	}
	return m
}
