package scenario

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// kind is how a figure is written in a file.
type kind int

const (
	number   kind = iota // or a bound on one
	span                 // a time span, or a bound on one
	start                // a span, or that it is not known
	word                 // one of several words
	excerpt              // a text that must be contained
	names                // a list of names
	count                // how many, or a list of names
	sums                 // numbers by name
	phrase               // a text that must be just so
	flag                 // true or false
	codes                // a code that must be among them, or a list of all
	versions             // texts by name
)

// figure is something that an expectation may say of its subject.
type figure struct {
	name  string
	kind  kind
	words []string
	later bool // it is of a day to come
}

// subject is what an expectation can be about.
type subject struct {
	key     string // names it
	within  bool   // it is meant in one partition
	later   bool   // none of it can be told yet
	figures []figure
}

// subjects lists all of them; partition comes after those that stand in one, and maintenance, which is a figure too, is last.
var subjects = []subject{
	{key: "workload", figures: []figure{
		{name: "state", kind: word, words: states()},
		{name: "holds", kind: word, words: holds()},
		{name: "gpus"},
		{name: "islands", kind: names},
		{name: "nodes", kind: count},
		{name: "pools", kind: sums},
		{name: "reason", kind: word, words: reasons()},
		{name: "says", kind: excerpt},
		{name: "evictions"},
		{name: "stops"},
		{name: "mends"},
		{name: "waited", kind: span},
		{name: "position"},
		{name: "startsIn", kind: start},
		{name: "cause", kind: word, words: causes},
		{name: "hung", kind: word, words: []string{"yes", "no"}},
	}},
	{key: "quota", within: true, figures: append(numbers(
		"assigned", "backed", "unbacked", "usage", "guaranteed", "scheduled", "unscheduled", "borrowed", "lent", "over"),
		figure{name: "idle"}, figure{name: "temporary"}, figure{name: "islands", kind: sums},
		figure{name: "flags", kind: names, words: []string{view.GangUnbacked, view.Overcommitted}})},
	{key: "node", figures: []figure{
		{name: "state", kind: word, words: nodeStates()},
		{name: "free"},
		{name: "workloads", kind: names},
		{name: "owner", kind: word, words: owners},
		{name: "waits", kind: word, words: waits},
		{name: "signals"},
		{name: "unknown"},
		{name: "visit", kind: phrase},
		{name: "leaving", kind: flag},
		{name: "untestedByProvider", kind: flag},
		{name: "runs", kind: versions},
		{name: "incidents", kind: names},
	}},
	{key: "namespace", within: true, figures: numbers("flexUsed", "flexShare")},
	{key: "haircut", within: true, figures: append(numbers("total", "unscheduled", "idle", "rest"), figure{name: "cuts", kind: sums}, figure{name: "wave", kind: sums})},
	{key: "rollout", figures: append(numbers("done", "failed", "of"),
		figure{name: "state", kind: word, words: []string{"planned", "running", "waiting", "paused", "done", "abandoned"}},
		figure{name: "stage", kind: phrase}, figure{name: "waits", kind: codes, words: waitCodes()}, figure{name: "culprit", kind: names},
		figure{name: "why", kind: excerpt})},
	{key: "nfz", figures: append(numbers("blocked", "behind", "untested", "conflicts", "days"), figure{name: "active", kind: flag})},
	{key: "update", figures: append(numbers("pending"),
		figure{name: "lasts", kind: span},
		figure{name: "impact", kind: word, words: impacts()},
		figure{name: "verdict", kind: word, words: []string{"untested", "proven", "rejected"}})},
	{key: "cluster", figures: clusterFigures()},
	{key: "partition", figures: append(numbers(
		"installed", "healthy", "usable", "stranded", "promisable", "sustainable", "assigned", "backed", "unbacked",
		"unallocated", "scheduled", "unscheduled", "flex", "flexUsed", "largestGang", "maintenance", "leaving"), figure{name: "idle"}, figure{name: "breaker", kind: word, words: []string{"open", "closed"}},
		figure{name: "bursts"}, figure{name: "automatic"})},
	{key: "maintenance", figures: []figure{
		{name: "state", kind: word, words: []string{"scheduled", "blocked", "running", "done", "cancelled"}}, {name: "blockedBy", kind: names},
	}},
}

func numbers(names ...string) []figure {
	list := make([]figure, len(names))
	for i, name := range names {
		list[i] = figure{name: name}
	}
	return list
}

// notKnown is the forecast of a workload whose start cannot be known.
const notKnown = "not known"

// refused is the state of a workload whose submission was refused.
const refused = "refused"

func states() []string {
	return []string{
		string(fleet.Pending), string(fleet.Starting), string(fleet.RunningW), string(fleet.Evicting), string(fleet.Mending),
		string(fleet.Finished), string(fleet.Failed), string(fleet.Cancelled), refused,
	}
}

func holds() []string {
	return []string{
		fleet.HoldsGuaranteed.String(), fleet.HoldsBorrowing.String(), fleet.HoldsFlex.String(), fleet.HoldsUnprotected.String(),
	}
}

func nodeStates() []string {
	var words []string
	for _, s := range fleet.NodeStates() {
		words = append(words, string(s))
	}
	return words
}

// reasons are the codes of §7, those of later days among them.
func reasons() (list []string) {
	for _, r := range reason.Rows() {
		list = append(list, string(r.Code))
	}
	return list
}

// keys lists what an expectation about the subject may say.
func (s subject) keys() []string {
	keys := []string{s.key}
	if s.within {
		keys = append(keys, "partition")
	}
	for _, f := range s.figures {
		keys = append(keys, f.name)
	}
	return keys
}

func (s subject) figure(name string) (figure, bool) {
	for _, f := range s.figures {
		if f.name == name {
			return f, true
		}
	}
	return figure{}, false
}

// want reads what a figure must be.
func (f figure) want(v yamlfile.Value) Want {
	switch f.kind {
	case word:
		return Word(v.Word(f.words...))
	case excerpt:
		return Says(v.Text())
	case sums:
		return readSums(v)
	case names:
		return f.readNames(v)
	case phrase:
		return Word(v.Text())
	case flag:
		return Word(strconv.FormatBool(v.Bool()))
	case codes:
		if !v.IsList() {
			return Among(v.Word(f.words...))
		}
		return f.readNames(v)
	case versions:
		return readTexts(v)
	case start:
		if v.IsText() && v.Text() == notKnown {
			return Word(notKnown)
		}
		return readBound(v, true)
	case count:
		if v.IsList() {
			return f.readNames(v)
		}
	case number, span:
	}
	return readBound(v, f.kind == span)
}

func (f figure) readNames(v yamlfile.Value) Want {
	if f.words == nil {
		return Words(v.Names())
	}
	return Words(yamlfile.Each(v, func(e yamlfile.Value) string { return e.Word(f.words...) }))
}

func readSums(v yamlfile.Value) Want {
	n := Numbers{}
	for _, e := range v.Entries() {
		n[e.Key] = readBound(e.Value, false)
	}
	return n
}

// field finds a figure in a row of package view, whose JSON names are the words
// of the contract.
func field(row any, name string) any {
	v := reflect.ValueOf(row)
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag != name || f.Anonymous {
			continue
		}
		found := v.FieldByIndex(f.Index)
		if found.Kind() == reflect.String {
			return found.String()
		}
		return found.Interface()
	}
	return nil
}
