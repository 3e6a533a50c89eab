package buildstudy_test

import (
	"flag"
	"os"
	"testing"

	"github.com/muster-fleet/muster/internal/prove/buildstudy"
)

var (
	studyFlag   = flag.Bool("study", false, "run the study of 90 days (a minute or two)")
	seedFlag    = flag.Uint64("seed", 1, "of the study")
	pictureFlag = flag.String("picture", "", "file of its picture")
)

// 200 clusters are built while quota comes at random: none is given what is not free, none
// passes another, and people have to do what they must and no more.
func TestStudy(t *testing.T) {
	if !*studyFlag {
		t.Skip("-study runs it")
	}
	r, err := buildstudy.Run(*seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d\n%s", r.Seed, r.Table())
	if len(r.Broken) > 0 {
		t.Errorf("%d laws were broken, first %s", len(r.Broken), r.Broken[0])
	}
	if r.InProd < buildstudy.Records*95/100 {
		t.Errorf("%d of %d clusters are in production", r.InProd, r.Records)
	}
	if p50, p90 := 100*r.Within50/r.Said, 100*r.Within90/r.Said; p50 < 40 || p50 > 60 || p90 < 85 || p90 > 95 {
		t.Errorf("%d %% were in production by their p50, and %d %% by their p90", p50, p90)
	}
	if *pictureFlag != "" {
		if err := os.WriteFile(*pictureFlag, []byte(r.SVG()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
