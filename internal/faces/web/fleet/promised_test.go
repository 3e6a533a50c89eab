package fleet

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What one partition has left does not hide that another has promised too many: the picture below shows both.
func TestWhatIsLeftIsNotSetOffAgainstWhatIsTooMuch(t *testing.T) {
	for _, c := range []struct {
		assigned, unallocated int32
		says                  string
	}{
		{616, 136, "616 are promised and 136 are left"},
		{752, 0, "752 are promised"},
		{800, 0, "800 are promised (48 too many)"},
		{744, 72, "744 are promised (64 too many in one partition, and 72 are left in another)"},
	} {
		if got := promised(&musterv1.Figures{Promisable: 752, Assigned: c.assigned, Unallocated: c.unallocated}, true); !strings.HasSuffix(got, ", "+c.says) {
			t.Errorf("%d assigned, %d unallocated: %q, want %q", c.assigned, c.unallocated, got, c.says)
		}
	}
}
