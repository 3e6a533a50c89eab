package haircut

import "testing"

// (256 − 320) / 384 is −16.67 %: what people read is rounded, not cut off.
func TestHeadroomIsRounded(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{
		{1000 * (256 - 320), 384, -167},
		{1000 * (320 - 256), 384, 167},
		{500, 1000, 1},
		{-500, 1000, -1},
		{499, 1000, 0},
		{-499, 1000, 0},
		{0, 1, 0},
		{7000, 1, 7000},
	} {
		if got := nearest(c.n, c.d); got != c.want {
			t.Errorf("%d/%d is %d, want %d", c.n, c.d, got, c.want)
		}
	}
}
