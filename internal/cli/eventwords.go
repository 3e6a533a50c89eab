package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// names knows workloads by their numbers, which is how events call them.
type names struct{ jobs map[uint64]string }

// mentioned is what events say of workloads.
type mentioned struct {
	ID   uint64 `json:"id"`
	For  uint64 `json:"for"`
	Spec *asked `json:"spec"`
}

// asked is what a workload asks for, as events say it.
type asked struct {
	Name, Namespace, Target string
	Priority                string
	Pools                   []struct {
		GPUs, Min, Max int
		Elastic        bool
	}
}

func aboutJob(kind string) bool {
	for _, prefix := range []string{"workload.", "replicas.", "gang.", "reservation.", "holds."} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// learn finds out the names of the workloads that records mention. What cannot
// be found out stays a number.
func (n *names) learn(ctx context.Context, a *app, records []*musterv1.Record) {
	if n.jobs == nil {
		n.jobs = map[uint64]string{}
	}
	var least, most uint64
	for _, r := range records {
		for _, e := range r.GetEvents() {
			for _, id := range n.unknown(e) {
				if least == 0 || id < least {
					least = id
				}
				most = max(most, id)
			}
		}
	}
	if most > 0 {
		n.ask(ctx, a, least, most)
	}
}

// unknown lists the workloads of an event whose names are not known yet, and
// keeps the names that it says itself.
func (n *names) unknown(e *musterv1.Event) (ids []uint64) {
	var m mentioned
	if !aboutJob(e.GetKind()) || json.Unmarshal([]byte(e.GetData()), &m) != nil {
		return nil
	}
	if m.Spec != nil {
		n.jobs[m.ID] = m.Spec.Namespace + "/" + m.Spec.Name
	}
	for _, id := range []uint64{m.ID, m.For} {
		if _, known := n.jobs[id]; id != 0 && !known {
			ids = append(ids, id)
		}
	}
	return ids
}

func (n *names) ask(ctx context.Context, a *app, least, most uint64) {
	res, err := a.client().Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{
		States: jobStates, From: least, Limit: int32(min(most-least+1, 10000)),
	})
	if err != nil {
		return
	}
	for _, w := range res.GetWorkloads() {
		n.jobs[w.GetId()] = nameOf(w)
	}
}

func (n *names) of(id uint64) string {
	if name := n.jobs[id]; name != "" {
		return name
	}
	return fmt.Sprintf("number %d", id)
}

// event says an event: what it is about, and the rest in a few words.
func (n *names) event(e *musterv1.Event) (about, rest string) {
	var fields map[string]any
	if json.Unmarshal([]byte(e.GetData()), &fields) != nil {
		return "", e.GetData()
	}
	if aboutJob(e.GetKind()) {
		return n.job(e, fields)
	}
	if e.GetKind() == "signals.taken" {
		return signalsTaken(e)
	}
	if about, rest, ok := haircutEvent(e.GetKind(), fields); ok {
		return about, rest
	}
	for _, key := range []string{"node", "quota", "partition", "cluster", "name", "scope", "from"} {
		if text, ok := fields[key].(string); ok && text != "" {
			delete(fields, key)
			return text, strings.Join(pairs("", fields), " ")
		}
	}
	return "", strings.Join(pairs("", fields), " ")
}

func (n *names) job(e *musterv1.Event, fields map[string]any) (about, rest string) {
	var m mentioned
	_ = json.Unmarshal([]byte(e.GetData()), &m) // it was read before
	words := n.words(m, fields)
	for _, key := range []string{"id", "for", "spec", "spots", "until", "again"} {
		delete(fields, key)
	}
	return n.of(m.ID), strings.Join(append(words, pairs("", fields)...), " ")
}

// words says what is known of an event about a workload, and takes it from its fields.
func (n *names) words(m mentioned, fields map[string]any) []string {
	var words []string
	take := func(key, format string) {
		if v, ok := fields[key]; ok && v != "" && v != false {
			words = append(words, fmt.Sprintf(format, v))
		}
		delete(fields, key)
	}
	if list, ok := fields["spots"].([]any); ok {
		words = append(words, replicas(list))
	}
	if m.Spec != nil {
		words = append(words, "to "+m.Spec.Target, m.Spec.pools(), m.Spec.Priority)
	}
	if m.For != 0 {
		words = append(words, "for "+n.of(m.For))
	}
	if k, ok := fields["holds"].(float64); ok {
		words = append(words, holdsWords[int(k)%len(holdsWords)])
		delete(fields, "holds")
	}
	take("class", "(%v)")
	take("partition", "in %v")
	for _, key := range []string{"reserved", "mend", "whole", "failed"} {
		if fields[key] == true {
			words = append(words, key)
		}
		delete(fields, key)
	}
	take("target", "to %v")
	take("priority", "%v")
	take("why", "%v")
	take("order", "order %v")
	take("times", "told again (%v)")
	return words
}

// holdsWords are the ways to hold GPUs, by their numbers in events.
var holdsWords = [...]string{"", "guaranteed", "borrowing", "unprotected", "flex"}

func (a asked) pools() string {
	var parts []string
	for _, p := range a.Pools {
		if p.Elastic {
			parts = append(parts, fmt.Sprintf("%d..%dx%d", p.Min, p.Max, p.GPUs))
		} else {
			parts = append(parts, fmt.Sprintf("%dx%d", p.Max, p.GPUs))
		}
	}
	return strings.Join(parts, "+")
}

// replicas counts the replicas in spots: each mention of a node is one.
func replicas(spots []any) string {
	n := 0
	for _, spot := range spots {
		if fields, ok := spot.(map[string]any); ok {
			if list, ok := fields["nodes"].([]any); ok {
				n += len(list)
			}
		}
	}
	if n == 1 {
		return "1 replica"
	}
	return fmt.Sprintf("%d replicas", n)
}
