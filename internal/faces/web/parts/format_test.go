package parts

import (
	"testing"
	"time"
)

func TestLengthsOfTimeKeepTheirZeros(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999 * time.Millisecond: "1s", 45 * time.Second: "45s", 5*time.Minute + 20*time.Second: "5m20s", 5 * time.Minute: "5m", 2*time.Minute + 40*time.Second: "2m40s",
		10 * time.Minute: "10m", 3*time.Hour + 10*time.Minute: "3h10m", 20 * time.Hour: "20h", 26 * time.Hour: "26h", 20 * 24 * time.Hour: "20d", 50 * time.Hour: "2d2h",
	} {
		if got := Lasted(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// What reads wrongly in two lines is kept in one: names, dates, and shares with their sign. All else may break.
func TestNamesDatesAndSharesDoNotBreak(t *testing.T) {
	for text, want := range map[string]string{
		"post/rl-186 leaves, by 2026-12-20 10:57Z": `<span class="name">post/rl-186</span> leaves, by <span class="name">2026-12-20</span> 10:57Z`,
		"asked are 154 GPUs (25.0 %).":             `asked are 154 GPUs (<span class="name">25.0 %</span>).`,
		"no-fly zone <launch> - and more --flags":  `<span class="name">no-fly</span> zone &lt;launch&gt; - and more --flags`,
		"nothing": "nothing",
		"":        "",
	} {
		if got := whole(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
