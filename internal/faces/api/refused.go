package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// refusedSubmissions remembers the last submissions that were refused, so that why says
// so of a workload that was never accepted. The log keeps no refusals, since
// they changed nothing: after a restart they are forgotten.
type refusedSubmissions struct {
	mu    sync.Mutex
	last  map[string]refusal
	names []string // in order
}

// refusal is one submission that was refused.
type refusal struct {
	of  fleet.Spec
	at  time.Time
	why *core.Refusal
}

// refusals is how many refused submissions are remembered.
const refusals = 1000

// note remembers the outcome of a submission, if it was refused.
func (r *refusedSubmissions) note(s fleet.Spec, err error, at time.Time) {
	var why *core.Refusal
	if !errors.As(err, &why) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[string]refusal{}
	}
	name := s.Namespace + "/" + s.Name
	if _, known := r.last[name]; !known {
		r.names = append(r.names, name)
	}
	r.last[name] = refusal{s, at, why}
	if len(r.names) > refusals {
		delete(r.last, r.names[0])
		r.names = r.names[1:]
	}
}

// find finds a workload by name that the caller may read. Where it may not, it is not told whether there is one.
// For one whose submission was refused the answer says so.
func (s *service) find(ctx context.Context, state *fleet.State, namespace, name string) (*fleet.Workload, error) {
	c, w := callerOf(ctx), state.Workload(namespace, name)
	seen := c.seesNamed(state, namespace, name)
	if w != nil && seen {
		return w, nil
	}
	if refusal := s.refused.of(namespace, name, func(w *fleet.Workload) bool { return c.sees(state, w) }); refusal != nil && w == nil {
		return nil, refusal
	}
	if !seen {
		return nil, hidden(c, state, namespace, name)
	}
	return nil, &core.Refusal{Code: core.NoSuchWorkload, Message: fmt.Sprintf("there is no workload %.80s/%.80s; %s", namespace, name, likely(c, state, namespace, name))}
}

// findAt is find in the state at a moment of the past: of a workload that was submitted later it says so. asOf is nil for now.
func (s *service) findAt(ctx context.Context, asOf *timestamppb.Timestamp, state *fleet.State, namespace, name string) (*fleet.Workload, error) {
	w, err := s.find(ctx, state, namespace, name)
	if err == nil || asOf == nil {
		return w, err
	}
	if submitted, ok := s.submitted(callerOf(ctx), namespace, name); ok && submitted.Time().After(asOf.AsTime()) {
		return nil, &core.Refusal{Code: core.NoSuchWorkload, Message: fmt.Sprintf("there was no workload %.80s/%.80s at %s: it was submitted at %s",
			namespace, name, clock(fleet.InstantOf(asOf.AsTime())), clock(submitted))}
	}
	return nil, err
}

// submitted is when a workload was submitted that the caller may see now.
func (s *service) submitted(c *caller, namespace, name string) (at fleet.Instant, ok bool) {
	s.engine.Look(func(now *fleet.State) {
		if w := now.Workload(namespace, name); w != nil && c.sees(now, w) {
			at, ok = w.Submitted, true
		}
	})
	return at, ok
}

// of is why a submission under a name was refused, to who may know of it; nil: none was.
func (r *refusedSubmissions) of(namespace, name string, may func(*fleet.Workload) bool) *core.Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, ok := r.last[namespace+"/"+name]
	if !ok || !may(&fleet.Workload{Spec: last.of}) {
		return nil
	}
	return &core.Refusal{Code: last.why.Code, Figures: last.why.Figures, Message: fmt.Sprintf(
		"%.80s/%.80s was not accepted at %s, so it does not wait: %s", namespace, name, last.at.UTC().Format("15:04:05 UTC"), last.why.Message)}
}

// hidden refuses to say whether there is a workload, and names those that may be meant.
func hidden(c *caller, state *fleet.State, namespace, name string) *core.Refusal {
	refusal := core.HiddenWork(c.actor, namespace, name)
	if likely := cmp.Or(meant(c, state, namespace, name), core.NotWork(state, namespace, name)); likely != "" {
		refusal.Message += "; " + likely
	}
	return refusal
}

// mostSuggested is how many workloads are named where none has the name that was asked for.
const mostSuggested = 3

// mostSearched is among how many workloads others of a name are looked for: others wait for the search.
const mostSearched = 20_000

// likely says which workloads may be meant, or where they stand.
func likely(c *caller, state *fleet.State, namespace, name string) string {
	return cmp.Or(meant(c, state, namespace, name), core.NotWork(state, namespace, name), "muster job list shows those there are")
}

// meant says which workloads may be meant: those that the caller may see and that have the name in
// other namespaces, or that number, those that have not ended first; else the one with the nearest name. "": none.
func meant(c *caller, state *fleet.State, namespace, name string) string {
	var names []string
	if len(state.Workloads) > mostSearched {
		return ""
	}
	number, err := strconv.ParseUint(name, 10, 64)
	for _, ended := range []bool{false, true} {
		var found []string
		for id, w := range state.Workloads {
			if (w.Name == name || err == nil && id == number) && w.State.Ended() == ended && c.sees(state, w) {
				found = append(found, w.Namespace+"/"+w.Name)
			}
		}
		slices.Sort(found)
		names = append(names, found...)
	}
	if near := nearest(c, state, namespace+"/"+name); len(names) == 0 && near != "" && core.NotWork(state, namespace, name) == "" {
		names = []string{near}
	}
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(names[:min(len(names), mostSuggested)], " or ") + "?"
}

// nearest is the workload that the caller may see and whose namespace and name are nearest to those
// that were typed: of those that have not ended, else of all; "" where none is near.
func nearest(c *caller, state *fleet.State, typed string) string {
	var live, all []string
	for _, w := range state.Workloads {
		if !c.sees(state, w) {
			continue
		}
		all = append(all, w.Namespace+"/"+w.Name)
		if !w.State.Ended() {
			live = append(live, w.Namespace+"/"+w.Name)
		}
	}
	slices.Sort(live)
	slices.Sort(all)
	return cmp.Or(text.Nearest(typed, live), text.Nearest(typed, all))
}
