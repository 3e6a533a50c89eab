package bench

import "testing"

// BenchmarkPlanner is the bench "planner" for a profile: visits end beside rollouts that go on, and work comes and goes.
func BenchmarkPlanner(b *testing.B) {
	p, err := newPlanned(b.Context(), Options{Seed: 1}, plannerNodes)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.Run("visits end", func(b *testing.B) { p.rollOn(b.Context(), b.N) })
	b.Run("submissions", func(b *testing.B) {
		if _, err := inTurn(b.Context(), b.N, p.busy); err != nil {
			b.Fatal(err)
		}
	})
}
