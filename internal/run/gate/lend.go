package gate

import "context"

type lendKey struct{}

// Lending is a context in which a call holds something that others wait for. lend gives it to
// them until its result is called.
func Lending(ctx context.Context, lend func() (back func())) context.Context {
	return context.WithValue(ctx, lendKey{}, lend)
}

// Lend gives what a call holds to others until back is called. Who makes a call wait, or bounds
// what it costs by other means, calls it. A call that holds nothing has nothing to lend.
func Lend(ctx context.Context) (back func()) {
	if lend, ok := ctx.Value(lendKey{}).(func() (back func())); ok {
		return lend()
	}
	return func() {}
}
