package text

import (
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

const day = 24 * time.Hour

func TestALengthOfTimeIsWrittenWithoutEmptyUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 250 * time.Millisecond: "250ms", 20 * time.Second: "20s", 5*time.Minute + 20*time.Second: "5m20s", 2*time.Minute + 40*time.Second: "2m40s",
		10 * time.Minute: "10m", 100 * time.Minute: "1h40m", time.Hour + 20*time.Second: "1h20s", 20 * time.Hour: "20h", day: "24h", 36 * time.Hour: "36h",
		2 * day: "2d", 52*time.Hour + 30*time.Minute: "2d4h30m", 28 * day: "28d", -90 * time.Second: "-1m30s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d s) is %q, want %q", d/time.Second, got, want)
		}
	}
}

func TestALengthOfTimeIsToldInTwoUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 300 * time.Millisecond: "0s", 59*time.Second + 600*time.Millisecond: "1m", 61 * time.Second: "1m1s", 5*time.Minute + 20*time.Second: "5m20s",
		12*time.Minute + 20*time.Second: "12m", time.Hour: "1h", 3*time.Hour + 5*time.Minute + 20*time.Second: "3h5m", day: "24h", 47*time.Hour + 59*time.Minute: "47h59m",
		day - 20*time.Second: "24h", 52*time.Hour + 20*time.Minute: "2d4h", 12*day + 4*time.Hour: "12d", -time.Minute: "-1m",
	} {
		if got := About(d); got != want {
			t.Errorf("About(%d s) is %q, want %q", d/time.Second, got, want)
		}
	}
}

// What is below two days is as Go reads it: the two formats agree on the length.
func TestALengthOfTimeIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(fewDays)-1).Draw(t, "duration"))
		if back, err := time.ParseDuration(Duration(d)); err != nil || back != d {
			t.Fatalf("%d is written %q and read as %d, %v", d, Duration(d), back, err)
		}
	})
}

func TestATextIsCutBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "most")
		if got := Clip(s, most); utf8.RuneCountInString(got) > most || !utf8.ValidString(got) {
			t.Fatalf("Clip(%q, %d) is %q", s, most, got)
		}
		if got := Bound(s, most); len(got) > most || !utf8.ValidString(got) || s[:len(got)] != got || len(s) > most && len(got) < most-3 {
			t.Fatalf("Bound(%q, %d) is %q", s, most, got)
		}
	})
	if got := Clip("Grüße an alle", 6); got != "Grüße…" {
		t.Errorf("it is %q", got)
	}
}

func TestNumbersAndLists(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "GPU"): "1 GPU", Count(12345, "GPU"): "12,345 GPUs", Count(0, "node"): "0 nodes", Counted(2, "entry", "entries"): "2 entries",
		Group(-1234): "-1,234", Group(-123): "-123", Group(1234567): "1,234,567",
		Few([]string{"a", "b"}, 2): "a, b", Few([]string{"a", "b", "c", "d"}, 2): "a, b and 2 more",
	} {
		if got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}
