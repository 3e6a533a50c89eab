package api

import (
	"context"
	"sync"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
)

// Past is what the fleet remembers.
type Past interface {
	// Read shows fn the book once it has heard the record seq; fn keeps nothing of it.
	Read(ctx context.Context, seq uint64, fn func(*past.Book)) error
}

// ownPast is a past that begins to be gathered when it is first asked for.
type ownPast struct {
	*keeper.Keeper
	begin sync.Once
	end   <-chan struct{}
}

func newOwnPast(e Engine, end <-chan struct{}) *ownPast {
	return &ownPast{Keeper: keeper.New(e, keeper.Options{}), end: end}
}

// Read begins to gather, and then does what Past says.
func (p *ownPast) Read(ctx context.Context, seq uint64, fn func(*past.Book)) error {
	p.begin.Do(func() {
		following, stop := context.WithCancel(context.Background())
		go func() {
			defer stop()
			go func() { <-p.end; stop() }()
			_ = p.Run(following) // each reader is told what went wrong
		}()
	})
	return p.Keeper.Read(ctx, seq, fn)
}
