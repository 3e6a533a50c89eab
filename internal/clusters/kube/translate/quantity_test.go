package translate

import "testing"

// What a user wrote as an amount is read wherever one stands, except for one that takes minutes to read.
func TestALongAmountIsNone(t *testing.T) {
	if n, ok := quantity("8"); n != 8 || !ok {
		t.Errorf("8 is read as %d, %t", n, ok)
	}
	if n, ok := quantity("1e-30000000"); ok {
		t.Errorf("a long amount is read as %d", n)
	}
}
