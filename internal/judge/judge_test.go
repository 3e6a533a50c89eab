package judge_test

import (
	"flag"
	"math/rand"
	"strings"
	"testing"
)

var (
	casesFlag = flag.Int("cases", 10000, "how many decisions with a choice are judged")
	seedFlag  = flag.Int64("seed", 1, "the seed of the first random fleet")
	onlyFlag  = flag.Bool("only", false, "play only the fleet of -seed")
	keepFlag  = flag.Int("keep", 1, "how many fleets may break a rule before the test ends")
)

// lines is how long a random fleet lives.
const lines = 40

// featuresFlag: by default only what the engine and the judge agree on in 100,000
// cases (-cases 100000). Even there one disagreement is known, so rare that the
// usual seeds do not meet it (-seed 1001800 does): a unit that would be guaranteed
// once the other victims are gone goes as a borrower where earlier work of its
// quota borrows in another island. Left out is what they disagree on more often:
//
//   - elastic pools: growth evicts without looking at cost, and surplus that
//     borrows is taken for less important work;
//   - ranks and several pools: what leaves with the lowest-rank pools is not
//     counted as lost, nor as room before the search begins;
//   - parts, replicas smaller than a node: where only so many nodes may be opened
//     the first that suits is taken, though it has room for fewer, so that now and
//     then (once in some 100,000 cases) somebody is evicted in vain;
//   - racks: a gang that fits in no rack holds a reservation;
//   - shares of flex: sets of victims are not compared by how much flex their
//     namespaces have, and are cut down to shares before they are searched;
//   - heads: who is barred by the head of its quota passes it as a borrower and is
//     guaranteed a moment later.
var featuresFlag = flag.String("features", "fx", "what random fleets are made of: letters of e(lastic) r(anks) k(racks) p(arts) x(flex) s(hares of flex) f(ailing), and h(eads) to judge who passes them")

func featuresAsked() features {
	has := func(c string) bool { return strings.Contains(*featuresFlag, c) }
	return features{elastic: has("e"), ranks: has("r"), racks: has("k"), parts: has("p"), flex: has("x"), shares: has("s"), failing: has("f"), heads: has("h")}
}

// TestTheEngineAgreesWithTheJudge plays random small fleets until so many cases
// have been judged: an eviction, or a refused start.
func TestTheEngineAgreesWithTheJudge(t *testing.T) {
	total, seed := &court{}, *seedFlag
	for ; total.cases() < *casesFlag; seed++ {
		w, b := playRandom(seed, featuresAsked())
		total.add(w.court)
		if b != nil {
			t.Errorf("%s", tell(seed, w.script, b))
			if *keepFlag--; *keepFlag <= 0 {
				break
			}
		}
		if *onlyFlag {
			break
		}
	}
	t.Logf("fleets of seeds %d to %d: %v", *seedFlag, seed, total)
}

func playRandom(seed int64, f features) (*world, *broken) {
	w := newWorld(newCourt(f))
	a := &author{Rand: rand.New(rand.NewSource(seed)), features: f, s: w.s}
	a.begin()
	for range lines {
		if b := w.play(a.next()); b != nil {
			return w, b
		}
	}
	return w, nil
}
