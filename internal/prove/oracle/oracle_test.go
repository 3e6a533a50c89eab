package oracle

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "seed of the first story, the same in every run unless it is given; 0: a new one")
	casesFlag = flag.Int("stories", 60, "how many stories are told")
	outFlag   = flag.String("out", "", "folder for the shrunk story of each law's first finding")
	forFlag   = flag.Duration("for", 0, "stop after this time")
)

// TestRandomStories tells stories from a new seed in every run:
//
//	go test ./internal/prove/oracle -run RandomStories -stories 5000 -out findings
//
// repeats one by -seed N -stories 1.
func TestRandomStories(t *testing.T) { tellMany(t, Random) }

// TestTightStories tells the same stories with pools that ask for more than GPUs, and nodes that are tight for them.
func TestTightStories(t *testing.T) { tellMany(t, RandomTight) }

func tellMany(t *testing.T, random func(seed uint64) *Story) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	t.Logf("-seed %d -stories %d", seed, *casesFlag)
	begin := time.Now()
	found, told := map[string]int{}, 0
	for n := range uint64(*casesFlag) {
		if *forFlag > 0 && time.Since(begin) > *forFlag {
			break
		}
		story := random(seed + n)
		breaches, err := Judge(t.Context(), story)
		if err != nil {
			t.Errorf("-seed %d: %v\n%s", seed+n, err, story.YAML())
			continue
		}
		told++
		for _, b := range breaches {
			if found[b.Law.Name]++; found[b.Law.Name] <= 3 {
				if !notYet[b.Law.Name] {
					t.Errorf("-seed %d: %v", seed+n, b)
				} else if *outFlag != "" {
					t.Logf("-seed %d: %v", seed+n, b)
				}
				keep(t, story, b, fmt.Sprintf("%s-%d", b.Law.Name, seed+n))
			}
		}
	}
	t.Logf("%d stories in %s; breaches by law: %v", told, time.Since(begin).Round(time.Second), found)
}

// keep writes the smallest story that still breaks the law.
func keep(t *testing.T, s *Story, b Breach, name string) {
	if *outFlag == "" {
		return
	}
	if err := os.MkdirAll(*outFlag, 0o700); err != nil {
		t.Fatal(err)
	}
	small, breach := Shrink(t.Context(), s, b)
	small.Title = breach.Law.Says
	small.Why = fmt.Sprintf("%s: after %s, %s.", breach.Law.Name, breach.At, breach.Text)
	if err := os.WriteFile(filepath.Join(*outFlag, name+".yaml"), []byte(small.YAML()), 0o600); err != nil {
		t.Fatal(err)
	}
}
