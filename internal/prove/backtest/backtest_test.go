package backtest_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/prove/backtest"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func day(d float64) time.Duration { return time.Duration(d * 24 * float64(time.Hour)) }

// Ten nodes, one of which is down for two hours on day 3, twice told; fixed 0 %
// promises all ten nodes, but not while one is down.
func TestAPromiseIsBrokenByAFailureWithinItsHorizon(t *testing.T) {
	faults := []trace.Fault{
		{Server: "a", Start: day(3), End: day(3) + 2*time.Hour},
		{Server: "a", Start: day(3) + time.Hour, End: day(3) + 2*time.Hour},
	}
	f, err := backtest.NewFleet(faults, 10, 6*24)
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := backtest.ParsePolicy("fixed=0")
	got := backtest.Try(f.Pools(10, 1)[0], policy, 24)
	// Issued from hour 0 to 119; those of the 23 hours before hour 72 are broken (the
	// hour 71 one sees nothing else than the hours 71 to 94); at 72 and 73 nine are promised.
	if got.Promises != 120 || got.Promises-got.Kept != 23 || got.Changes != 2 {
		t.Errorf("%+v", got)
	}
	if got.Broken != 2 || got.Short != 16 || got.Flex != 0 {
		t.Errorf("%+v", got)
	}
	if want := 2 * 0.1 / 120; got.Buffer < want-1e-9 || got.Buffer > want+1e-9 {
		t.Errorf("mean buffer %v, want %v", got.Buffer, want)
	}
}

// Whatever the past, a policy learns nothing from what is still to come.
func TestNothingIsLearnedFromTheFuture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var past []buffer.Hour
		for range 200 {
			level := rapid.IntRange(0, 10).Draw(t, "level")
			past = append(past, buffer.Hour{Nodes: 20, Level: level, Peak: level + rapid.IntRange(0, 5).Draw(t, "more")})
		}
		cut := rapid.IntRange(60, 199).Draw(t, "cut")
		for _, name := range backtest.Policies {
			if name == "hindsight" {
				continue // it is there to know the future
			}
			policy, _ := backtest.ParsePolicy(name)
			if long, short := promises(past, policy)[:cut], promises(past[:cut], policy); !equal(long, short) {
				t.Fatalf("%s: %v with what came after, %v without", name, long, short)
			}
		}
	})
}

// No constant smaller than the one that hindsight names keeps the wanted share.
func TestHindsightIsTheLeastConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		past := make([]buffer.Hour, 200)
		for i := range past {
			level := rapid.IntRange(0, 5).Draw(t, "level")
			past[i] = buffer.Hour{Nodes: 100, Level: level, Peak: level + rapid.IntRange(0, 3).Draw(t, "more")}
		}
		kept := func(constant int) (n int) {
			for i := range past[:176] {
				most := 0
				for _, h := range past[i : i+24] {
					most = max(most, h.Peak)
				}
				if most-past[i].Level <= constant {
					n++
				}
			}
			return n
		}
		least := 0
		for kept(least) < 175 { // 99 % of 176, rounded up
			least++
		}
		free := backtest.Policy{Kind: "hindsight", Confidence: 0.99, Ceiling: 1}
		got := backtest.Try(backtest.Pool{Hours: past}, free, 24)
		if got.Kept != kept(least) || got.Promises != 176 {
			t.Fatalf("%d of %d kept; by trying every constant %d with %d nodes", got.Kept, got.Promises, kept(least), least)
		}
	})
}

func promises(past []buffer.Hour, p backtest.Policy) []int {
	return backtest.Promises(backtest.Pool{Hours: past}, p, 24)
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestPoliciesAreReadOrRefused(t *testing.T) {
	read := map[string]string{"binomial=0.999": "binomial=0.999"}
	for _, kind := range fleet.BufferKinds() {
		b := fleet.DefaultBuffer(kind)
		read[string(kind)] = fmt.Sprintf("%s=%v", kind, b.Settings()[0].At.Float())
	}
	for text, want := range read {
		if p, err := backtest.ParsePolicy(text); err != nil || p.String() != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for text, want := range map[string]string{
		"calibrated=1": "between 0 and 1", "fixed=NaN": "between 0 and 1", "binomial=x": "not a number", "luck": "known are",
	} {
		if _, err := backtest.ParsePolicy(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPlotsSayTheSameTwice(t *testing.T) {
	f, err := backtest.NewFleet(fleets[0].faults(1), 400, 60*24)
	if err != nil {
		t.Fatal(err)
	}
	var policies []backtest.Policy
	for _, name := range backtest.Policies {
		p, _ := backtest.ParsePolicy(name)
		policies = append(policies, p)
	}
	draw := func() (text, svg string) {
		rows, err := backtest.Run(context.Background(), backtest.Options{
			Groups:   []backtest.Group{{Name: "all", Pools: f.Pools(400, 1)}, {Name: "islands", Pools: f.Pools(100, 1)}},
			Policies: policies, Horizons: []int{24, 168},
		})
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if backtest.Plot(&a, rows) != nil || backtest.SVG(&b, rows) != nil {
			t.Fatal("cannot draw")
		}
		return a.String(), b.String()
	}
	text, svg := draw()
	again, svgAgain := draw()
	if text != again || svg != svgAgain {
		t.Error("two runs draw different pictures")
	}
	if strings.Count(svg, "<circle") != len(policies)*(4+1) || strings.Count(text, "horizon") != 4 {
		t.Errorf("%d circles, %d panels", strings.Count(svg, "<circle"), strings.Count(text, "horizon"))
	}
}

func TestAPastShorterThanTheHorizonIsRefused(t *testing.T) {
	f, _ := backtest.NewFleet([]trace.Fault{{Server: "a", Start: day(1), End: day(2)}}, 10, 0)
	p, _ := backtest.ParsePolicy("calibrated")
	_, err := backtest.Run(context.Background(), backtest.Options{
		Groups: []backtest.Group{{Name: "all", Pools: f.Pools(10, 1)}}, Policies: []backtest.Policy{p}, Horizons: []int{24 * 28},
	})
	if err == nil || !strings.Contains(err.Error(), "shorter than the horizon") {
		t.Error(err)
	}
}
