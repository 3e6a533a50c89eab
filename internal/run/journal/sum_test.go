package journal

import "testing"

// The sums are on disk in every journal ever written: these figures are a
// promise, not a detail.
func TestSumNeverChanges(t *testing.T) {
	first := Entry{Seq: 1, At: 1_700_000_000_000_000_000, Data: []byte("node tiger-001 healthy")}
	second := Entry{Seq: 2, At: -5, Data: nil}
	sum1 := Sum(0, first)
	if want := uint32(0x6ed0432a); sum1 != want {
		t.Errorf("first entry: sum %#x, want %#x", sum1, want)
	}
	if got, want := Sum(sum1, second), uint32(0x4ee72901); got != want {
		t.Errorf("second entry: sum %#x, want %#x", got, want)
	}
}

func TestSumSeesEveryPart(t *testing.T) {
	e := Entry{Seq: 7, At: 9, Data: []byte("abc")}
	base := Sum(3, e)
	changed := map[string]uint32{
		"predecessor": Sum(4, e),
		"seq":         Sum(3, Entry{Seq: 8, At: 9, Data: e.Data}),
		"at":          Sum(3, Entry{Seq: 7, At: 10, Data: e.Data}),
		"data":        Sum(3, Entry{Seq: 7, At: 9, Data: []byte("abd")}),
		"data length": Sum(3, Entry{Seq: 7, At: 9, Data: []byte("abc\x00")}),
	}
	for part, sum := range changed {
		if sum == base {
			t.Errorf("a changed %s leaves the sum as it was", part)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	e := Entry{Seq: 7, At: 9, Data: make([]byte, 200)}
	b.ReportAllocs()
	for b.Loop() {
		Sum(1, e)
	}
}
