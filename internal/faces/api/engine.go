package api

import (
	"context"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Result answers a command. Its fields are those of the engine's own, so that one converts to the other.
type Result struct {
	Seq    uint64        // version of the state after it
	At     fleet.Instant // when it was decided
	Record event.Record  // what it wrote
	Repeat bool          // its idempotency key was seen before; Seq is of the first time
	// Refused says of each command of a batch in which each stands for itself why it was
	// left out. The API has no such batches.
	Refused []*core.Refusal
	// Lets is what a dry run passed, and the same request done for good would be refused for.
	Lets []*core.Refusal
}

// Engine is what the API needs to decide, to read and to remember.
type Engine interface {
	// Do decides a command and answers once that is durable. The error is a
	// *core.Refusal, or says that the world failed.
	Do(ctx context.Context, r core.Request) (Result, error)
	// DryRun decides a command on a copy, and changes nothing.
	DryRun(ctx context.Context, r core.Request) (Result, error)
	// Read shows the state between two commands; fn keeps and changes nothing of it.
	Read(fn func(s *fleet.State))
	// Peek shows who may call, the policy, and nothing else of the state. Who may call are bindings,
	// tokens and sign-ins that were ended. What it shows may not be durable yet. No decision, no reader and no disk delays it.
	Peek(fn func(s *fleet.State))
	// Look is Read that no decision waits for. It shows all that is durable. Others who look may
	// wait for it, so who takes more than some milliseconds asks Ponder.
	Look(fn func(s *fleet.State))
	// Study is Look for who asks the planner, which keeps notes in the state.
	Study(fn func(s *fleet.State))
	// Ponder is Study for who looks long: no other waits for it but those who ponder.
	Ponder(fn func(s *fleet.State))
	// SeqAt is the last sequence number of what had happened by a moment.
	SeqAt(ctx context.Context, at fleet.Instant) (uint64, error)
	// LookBack shows the state at a moment of the past; fn keeps and changes nothing of it.
	LookBack(ctx context.Context, at fleet.Instant, fn func(*fleet.State)) error
	// StateAt is that state, for the caller to change.
	StateAt(ctx context.Context, at fleet.Instant) (*fleet.State, error)
	// StateAfter is the state right after a record, after the last one at most.
	StateAfter(ctx context.Context, seq uint64) (*fleet.State, error)
	// Base is the state that the log begins with, and what was gathered of the records before it.
	Base(ctx context.Context) (*fleet.State, map[string][]byte, error)
	// Records calls fn for each record from a sequence number on, until the last; from 0, from the
	// first that is kept on.
	Records(ctx context.Context, from uint64, fn func(event.Record) error) error
	// RecordsWith is Records for those alone whose text in the log is wanted.
	RecordsWith(ctx context.Context, from uint64, wanted func(record []byte) bool, fn func(event.Record) error) error
	// Watch does the same as Records, and then goes on with what happens until ctx ends.
	Watch(ctx context.Context, from uint64, fn func(event.Record) error) error
}
