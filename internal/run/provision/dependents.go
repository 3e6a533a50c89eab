package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Knower is a runner that can say whether what it applied for one cluster knows another.
type Knower interface {
	// Knows says whether the projects of a cluster were found as they are wanted at a moment
	// or later; else it says what is missing, and sees to it that they are looked at.
	Knows(s Subject, since fleet.Instant) (knows bool, missing string)
}

// Dependents sees whether what must know a cluster does, for the step dependencies: the
// projects of other clusters, and what the cluster's own pipeline has others apply.
//
// A project that has to know of a cluster plans a change until it does. So one that planned
// nothing since the cluster was checked in knows of it, or need not.
type Dependents struct {
	ByHand                           // it begins nothing
	Read    func(func(*fleet.State)) // the state, to see which clusters there are
	Runners map[string]Knower        // by the word of a blueprint's runner
}

// Look says whether the others know a cluster. Once they do they go on to.
func (d Dependents) Look(_ context.Context, s Subject) ([]fleet.StepEvidence, error) {
	if !s.CheckedIn {
		return nil, nil
	}
	e := fleet.StepEvidence{Step: fleet.StepDependencies, Generation: s.Generation}
	for _, was := range s.Known {
		if was.Step == e.Step && was.Holds {
			e.Holds, e.Detail = true, was.Detail
			return []fleet.StepEvidence{e}, nil
		}
	}
	e.Holds, e.Detail = d.judge(s)
	return []fleet.StepEvidence{e}, nil
}

// judge asks the runner of each other cluster in service.
func (d Dependents) judge(s Subject) (holds bool, says string) {
	var know, missing, own []string
	for _, other := range d.others(s.Record.Name) {
		runner := d.Runners[runnerOf(&other.Blueprint)]
		if runner == nil {
			own = append(own, other.Record.Name)
			continue
		}
		if knows, lacks := runner.Knows(other, s.Since); knows {
			know = append(know, other.Record.Name)
		} else {
			missing = append(missing, other.Record.Name+" ("+lacks+")")
		}
	}
	if len(missing) > 0 {
		return false, "not known yet to " + text.Few(missing, mostNamed)
	}
	return true, knownBy(know, own)
}

// knownBy is the evidence that what must know a cluster does.
func knownBy(know, own []string) string {
	says := "no project of another cluster is applied by Muster"
	if len(know) > 0 {
		says = "projects planned nothing since it was checked in: " + text.Few(know, mostNamed)
	}
	if len(own) > 0 {
		says += "; with pipelines of their own, which are not asked: " + text.Few(own, mostNamed)
	}
	return says
}

// mostNamed is how many clusters evidence names.
const mostNamed = 3

// others are the other clusters whose pipeline has ended, and that are not being retired. One
// whose pipeline still runs has its projects planned anew when it ends.
func (d Dependents) others(name string) (list []Subject) {
	d.Read(func(s *fleet.State) {
		for _, l := range s.Lives {
			b := s.BlueprintOf(l)
			if b == nil || l.Record.Name == name || l.Course.Retiring != 0 || l.Course.Retired != 0 {
				continue
			}
			if is := subjectOf(l, b).Subject; slices.Contains(is.Done, fleet.StepPipeline) || l.Course.Produced != 0 {
				list = append(list, is)
			}
		}
	})
	return list
}

// runnerOf is the word of a blueprint's runner, before a colon.
func runnerOf(b *fleet.Blueprint) string {
	word, _, _ := strings.Cut(b.Runner, ":")
	return word
}
