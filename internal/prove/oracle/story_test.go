package oracle

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/prove/scenario"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var storyFlag = flag.String("story", "", "scenario file to judge by all laws")

// TestStory judges one scenario file, and with -v tells what happened:
//
//	go test ./internal/prove/oracle -run TestStory -v -story finding.yaml
func TestStory(t *testing.T) {
	if *storyFlag == "" {
		t.Skip("no -story")
	}
	breaches, err := judgeFile(t, *storyFlag, testing.Verbose())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches {
		t.Error(b)
	}
}

// TestMended judges the stories of what was mended: none may break a law again,
// and the law that its first line names it keeps even where others break that yet.
func TestMended(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			breaches, err := judgeFile(t, file, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range breaches {
				if !notYet[b.Law.Name] || b.Law.Name == brokenLaw(t, file) {
					t.Error(b)
				}
			}
		})
	}
}

// brokenLaw is the law that a story broke before it was mended: its first line names it.
func brokenLaw(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	law, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), ":")
	return law
}

func judgeFile(t *testing.T, name string, tell bool) ([]Breach, error) {
	f, err := scenario.Load(name)
	if err != nil {
		return nil, err
	}
	w := newObserver()
	report, err := scenario.Watch(t.Context(), f, func(r event.Record, s *fleet.State) {
		n := len(w.found)
		w.look(r, s)
		if tell {
			tellRecord(r, w.before, w.found[n:])
		}
	})
	return w.with(report), err
}

// tellRecord tells a record, what is wrong after it, and how everything stands.
func tellRecord(r event.Record, ph *Photo, wrong []Breach) {
	text := fmt.Sprintln("-----", ph.At.Sub(scenario.Start))
	for _, e := range r.Events {
		text += fmt.Sprintf("  %s %+v\n", e.Kind(), e)
	}
	for _, b := range wrong {
		text += fmt.Sprintln("  WRONG:", b)
	}
	for _, j := range ph.Jobs {
		text += fmt.Sprintf("    %d %s %s %s", j.ID, j.Name, j.Target, j.State)
		if len(j.Why) > 0 {
			text += " " + reasonOf(j)
		}
		for _, u := range j.Units {
			phase := map[fleet.Phase]string{fleet.Reserved: " reserved", fleet.Leaving: " leaving"}[u.Phase]
			text += fmt.Sprintf(" [%s %s %s%s]", j.Pools[u.Pool].Name, ph.Part(j.At).Nodes[u.Node].Name, u.Holds, phase)
		}
		text += "\n"
	}
	for _, p := range ph.Parts {
		text += fmt.Sprintf("    %s: own shares %v, promisable %d nodes, flex %d, used %d;", p.ID, p.Own, p.Promised, p.Figures.Flex, p.Figures.FlexUsed)
		for _, q := range p.Quotas {
			text += fmt.Sprintf(" %s %v", q.Path, q.Backing)
		}
		for _, n := range p.Spaces {
			text += fmt.Sprintf(" %s uses %d of share %d", n.Namespace, n.FlexUsed, n.FlexShare)
		}
		text += "\n"
	}
	fmt.Fprint(os.Stdout, text)
}
