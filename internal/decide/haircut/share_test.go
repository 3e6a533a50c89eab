package haircut_test

import (
	"math/rand"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/haircut"
)

// TestLargestRemainder checks shares against the definition. They sum exactly, and each is
// its exact part rounded down or up. No quota that was rounded down had a larger remainder
// than one that was rounded up, or the same and came first.
func TestLargestRemainder(t *testing.T) {
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		sizes, total := make([]int, r.Intn(7)), 0
		for i := range sizes {
			sizes[i] = r.Intn(1 + r.Intn(40))
			total += sizes[i]
		}
		n := r.Intn(total + 5)
		shares, sum := haircut.Apportion(sizes, n), 0
		n = min(n, total)
		for i, share := range shares {
			sum += share
			if total == 0 {
				continue
			}
			low := n * sizes[i] / total
			if share < low || share > low+1 || share > sizes[i] {
				t.Fatalf("seed %d: share %d of %v is %d for %d", seed, i, sizes, share, n)
			}
			for j, other := range shares {
				mine, theirs := n*sizes[i]%total, n*sizes[j]%total
				if share == low && other == n*sizes[j]/total+1 && (mine > theirs || mine == theirs && i < j) {
					t.Fatalf("seed %d: %v of %v shared as %v: %d should come before %d", seed, n, sizes, shares, i, j)
				}
			}
		}
		if sum != n {
			t.Fatalf("seed %d: %v shared as %v, which sums to %d, not %d", seed, sizes, shares, sum, n)
		}
	}
}
