package chaos_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/compact"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A world is a fleet that is driven by a script of commands, with a stand-in for
// the clusters that reports what leaves and what ends. After every step it asks
// whether everything that must hold still does.
type world struct {
	s      *fleet.State
	now    fleet.Instant
	script []step
	runs   map[string]time.Duration // how long a workload really runs, by namespace/name
	sent   []core.Command           // reports of the clusters, for duplicates

	cores *cores // what nodes have beside GPUs; nil: enough

	house *house // serves the fleet; nil: it is stepped as it is, and all reports are right

	follower *fleet.State   // hears the log only; nil with a house, which reads its journal again
	twin     *fleet.State   // was decoded from a snapshot, and decides on its own
	hash     string         // of s, after the last step
	told     []event.Record // what the last line of the script led to
	asked    core.Command   // the last request

	starting map[uint64]fleet.Instant // since when the room of a guaranteed workload is reserved

	every    sampling
	steps    int // requests stepped, ticks and reports included
	records  int
	events   int
	refusals int
	mends    int
	kinds    map[string]int
	laws     []law
}

// A law looks at what one record did: the state before it, the record, the state after.
type law func(w *world, before *fleet.State, out core.Outcome) *failure

// sampling says how often the dearer questions are asked: every so many steps, 0 never.
type sampling struct{ recount, idle, hash, before int }

// everything asks every question after every step.
var everything = sampling{1, 1, 1, 1}

// step is one line of a script: so long after the line before, this happens.
type step struct {
	after time.Duration
	do    core.Command
	runs  time.Duration // with Submit: how long it really runs; 0 until cancelled
	trick trick         // instead of a command
	node  string        // with strangersCome: where, and take so many cores (in)
	how   death         // with die
	in    int           // with die: at the nth record from here; with movesIn: the seed of the clusters
	sky   weather       // with weathers
}

// trick is something that happens to the process or to reports, not a command.
type trick int

const (
	none      trick = iota
	restart         // the state is encoded and decoded
	standby         // the follower takes over
	makeTwin        // a second process decides along, from a snapshot
	duplicate       // an old report arrives again

	countCores    // from here on nodes have so many cores (in)
	strangersCome // pods that are not Muster's take so many cores (in) of a node

	movesIn // from here on the fleet is served by a house

	// In a house only.
	die      // the process dies at one of the next records
	weathers // the line becomes better or worse
	resync   // the clusters are told all that stands
	snapshot // the state is kept in the journal
	byMail   // the command, which puts nodes into a state, comes as a report
	healed   // everything is repaired
)

func (st step) String() string {
	switch st.trick {
	case restart:
		return fmt.Sprintf("+%v restart", st.after)
	case standby:
		return fmt.Sprintf("+%v standby takes over", st.after)
	case makeTwin:
		return fmt.Sprintf("+%v twin", st.after)
	case duplicate:
		return fmt.Sprintf("+%v duplicate report", st.after)
	case countCores:
		return fmt.Sprintf("+%v each node has %d cores", st.after, st.in)
	case strangersCome:
		return fmt.Sprintf("+%v strangers take %d cores of %s", st.after, st.in, st.node)
	case movesIn:
		return fmt.Sprintf("+%v moves into house %d", st.after, st.in)
	case die:
		return fmt.Sprintf("+%v process dies %v in %d records", st.after, st.how, st.in)
	case weathers:
		return fmt.Sprintf("+%v weather %+v", st.after, st.sky)
	case resync:
		return fmt.Sprintf("+%v resync", st.after)
	case snapshot:
		return fmt.Sprintf("+%v snapshot", st.after)
	case byMail:
		return fmt.Sprintf("+%v by mail %T%+v", st.after, st.do, st.do)
	case healed:
		return fmt.Sprintf("+%v healed", st.after)
	}
	if b, ok := st.do.(core.Submit); ok {
		return fmt.Sprintf("+%v submit %s runs=%v", st.after, specText(b.Spec), st.runs)
	}
	return fmt.Sprintf("+%v %T%+v", st.after, st.do, st.do)
}

func specText(s fleet.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s -> %s %q %v grace=%v max=%v ckpt=%v", s.Namespace, s.Name, s.Target, s.Partition, s.Priority, s.Grace, s.MaxRuntime, s.CheckpointEvery)
	for _, p := range s.Pools {
		fmt.Fprintf(&b, " [%s rank%d %dgpu %d..%d elastic=%v %s]", p.Name, p.Rank, p.GPUs, p.Min, p.Max, p.Elastic, p.Reach)
		if p.Footprint != "" {
			fmt.Fprintf(&b, "(%s)", p.Footprint)
		}
	}
	return b.String()
}

// failure is a rule that a run has broken.
type failure struct {
	rule, detail string
	at           int            // line of the script
	told         []event.Record // what that line led to, up to where it broke
}

func (f *failure) Error() string { return fmt.Sprintf("line %d: %s: %s", f.at, f.rule, f.detail) }

func newWorld(every sampling, laws ...law) *world {
	s := fleet.NewState()
	return &world{
		s: s, follower: fleet.NewState(), hash: s.Hash(), now: moment(0), every: every,
		runs: map[string]time.Duration{}, kinds: map[string]int{}, laws: laws, starting: map[uint64]fleet.Instant{},
	}
}

// play takes one line of a script, after all that happens before its time.
func (w *world) play(st step) (broken *failure) {
	defer func() {
		if r := recover(); r != nil {
			broken = &failure{rule: "no panic", detail: fmt.Sprintf("%v\n%s", r, debug.Stack())}
		}
		if broken != nil {
			broken.at, broken.told = len(w.script), w.told
		}
	}()
	w.script, w.told = append(w.script, st), nil
	due := w.now.Add(st.after)
	if f := w.passTime(due); f != nil {
		return f
	}
	w.now = due
	if f := w.act(st); f != nil {
		return f
	}
	return w.fit()
}

// act does what a line of a script says.
func (w *world) act(st step) *failure {
	if st.trick != none {
		return w.turnTrick(st)
	}
	if b, ok := st.do.(core.Submit); ok {
		w.runs[b.Spec.Namespace+"/"+b.Spec.Name] = st.runs
	}
	return w.request(st.do)
}

func (w *world) turnTrick(st step) *failure {
	if w.house != nil {
		return w.house.turnTrick(st)
	}
	switch st.trick {
	case countCores:
		w.cores = newCores(st.in)
	case strangersCome:
		if w.cores != nil {
			w.cores.strangers[st.node] = st.in
		}
	case movesIn:
		newHouse(w, uint64(st.in))
	case restart:
		return w.restart()
	case standby:
		w.s, w.follower = w.follower, w.s.Clone()
	case makeTwin:
		w.twin = w.s.Clone()
	case duplicate:
		if n := len(w.sent); n > 0 {
			return w.request(w.sent[(w.steps*7)%n])
		}
	}
	return nil
}

// restart goes on with what a snapshot keeps.
func (w *world) restart() *failure {
	data, err := w.s.Encode()
	if err != nil {
		return &failure{rule: "a state encodes", detail: err.Error()}
	}
	s, err := fleet.Decode(data)
	if err != nil {
		return &failure{rule: "a state decodes", detail: err.Error()}
	}
	again, _ := s.Encode()
	if !bytes.Equal(data, again) {
		return &failure{rule: "a snapshot restores the state byte for byte", detail: difference(data, again)}
	}
	w.s = s
	return samePacked(s, data)
}

// samePacked says whether a state comes back from a journal's snapshot as it was.
func samePacked(s *fleet.State, data []byte) *failure {
	packed, err := compact.Encode(s)
	back := fleet.NewState()
	if err == nil {
		err = compact.Decode(string(packed), back)
	}
	if err != nil {
		return &failure{rule: "a state is plain data", detail: err.Error()}
	}
	back.Rebuild()
	again, _ := back.Encode()
	if !bytes.Equal(data, again) {
		return &failure{rule: "a compact snapshot restores the state byte for byte", detail: difference(data, again)}
	}
	return nil
}

// request steps the fleet and asks whether everything holds.
func (w *world) request(c core.Command) *failure {
	r := core.Request{Command: c, Actor: core.System, Reason: "test"}
	w.steps++
	w.asked = c
	var before *fleet.State
	if len(w.laws) > 0 && due(w.every.before, w.steps) {
		before = w.s.Clone()
	}
	out, refusal, broken := w.step(r)
	if broken != nil {
		return broken
	}
	if refusal != nil {
		w.refusals++
		if h := w.s.Hash(); w.hash != "" && h != w.hash {
			return &failure{rule: "a refused command changes nothing", detail: fmt.Sprintf("%T %+v: %v", c, c, refusal)}
		}
	}
	if f := w.alongside(r, out, refusal); f != nil {
		return f
	}
	if f := w.record(out.Record); f != nil {
		return f
	}
	if f := w.holds(); f != nil {
		return f
	}
	if before != nil && refusal == nil {
		for _, l := range w.laws {
			if f := l(w, before, out); f != nil {
				return f
			}
		}
	}
	return nil
}

// step decides a request, in the house if there is one.
func (w *world) step(r core.Request) (core.Outcome, *core.Refusal, *failure) {
	if w.house != nil {
		return w.house.do(r)
	}
	out, refusal := core.Step(w.s, r, w.now)
	return out, refusal, nil
}

func due(every, step int) bool { return every > 0 && step%every == 0 }

// alongside lets the twin decide the same request: it must decide the same.
func (w *world) alongside(r core.Request, out core.Outcome, refusal *core.Refusal) *failure {
	if w.twin == nil {
		return nil
	}
	r.Key, r.Fingerprint = out.Record.Key, out.Record.Fingerprint // as it was asked in the house
	twin, again := core.Step(w.twin, r, w.now)
	a, _ := event.Encode(out.Record)
	b, _ := event.Encode(twin.Record)
	if (refusal == nil) != (again == nil) || !bytes.Equal(a, b) {
		return &failure{rule: "a restarted process decides the same", detail: difference(a, b)}
	}
	return nil
}

// record keeps the follower up to date: by what the log has kept, not by what was in memory.
func (w *world) record(r event.Record) *failure {
	if len(r.Events) == 0 {
		return nil
	}
	w.told = append(w.told, r)
	w.records++
	w.events += len(r.Events)
	for _, e := range r.Events {
		w.kinds[e.Kind()]++
		if placed, ok := e.(event.ReplicasPlaced); ok && placed.Mend {
			w.mends++
		}
	}
	if w.follower == nil {
		return nil // the journal has it
	}
	data, err := event.Encode(r)
	if err != nil {
		return &failure{rule: "a record encodes", detail: err.Error()}
	}
	back, err := event.Decode(data)
	if err != nil {
		return &failure{rule: "a record decodes", detail: err.Error()}
	}
	if again, _ := event.Encode(back); !bytes.Equal(data, again) {
		return &failure{rule: "a record is read as it was written", detail: difference(data, again)}
	}
	core.ApplyRecord(w.follower, back)
	return nil
}

// figures asks whether what people read adds up.
func (w *world) figures() error {
	if !due(w.every.recount, w.steps) {
		return nil
	}
	return view.Check(w.s)
}

// holds asks everything that must hold of the state as it is now.
func (w *world) holds() *failure {
	if due(w.every.recount, w.steps) {
		for _, b := range invariant.Check(w.s) {
			return &failure{rule: b.Rule, detail: b.String() + w.partitionsText()}
		}
	} else {
		for _, p := range w.s.Partitions {
			for _, b := range invariant.CheckPartition(p) {
				return &failure{rule: b.Rule, detail: b.String() + w.partitionsText()}
			}
		}
	}
	if err := w.figures(); err != nil {
		return &failure{rule: "every figure adds up", detail: err.Error() + w.partitionsText()}
	}
	w.hash = ""
	if due(w.every.hash, w.steps) {
		if f := w.followed(); f != nil {
			return f
		}
		w.hash = w.s.Hash()
		if f := w.hashed(); f != nil {
			return f
		}
	}
	if due(w.every.idle, w.steps) {
		return w.idle()
	}
	return nil
}

// hashed asks whether the hash, which is worked out piece by piece, is that of the whole encoding.
func (w *world) hashed() *failure {
	data, err := w.s.Encode()
	sum := sha256.Sum256(data)
	if want := hex.EncodeToString(sum[:8]); err != nil || w.hash != want {
		return &failure{rule: "a state's hash is that of its encoding", detail: fmt.Sprintf("%s, want %s (%v)", w.hash, want, err)}
	}
	return nil
}

// followed asks whether who hears the log only has the same state.
func (w *world) followed() *failure {
	if w.follower == nil {
		return nil
	}
	a, _ := w.s.Encode()
	b, _ := w.follower.Encode()
	if !bytes.Equal(a, b) {
		return &failure{rule: "replaying the log gives the same state", detail: difference(a, b)}
	}
	return nil
}

// idle asks whether deciding again changes nothing.
func (w *world) idle() *failure {
	if core.Idle(w.s, w.now) {
		return nil
	}
	c := w.s.Clone()
	out, _ := core.Step(c, core.Request{Command: core.Tick{}, Actor: core.System}, w.now)
	return &failure{rule: "deciding again changes nothing", detail: eventsText(out.Record)}
}

func eventsText(r event.Record) string {
	var b strings.Builder
	for _, e := range r.Events {
		fmt.Fprintf(&b, "\n    %s %+v", e.Kind(), e)
	}
	return b.String()
}

// recordsText tells the last of what a line of a script led to.
func recordsText(list []event.Record) string {
	var b strings.Builder
	list = list[max(0, len(list)-6):]
	for _, r := range list {
		fmt.Fprintf(&b, "\n  record %d at +%v%s", r.Seq, r.At.Sub(moment(0)), eventsText(r))
	}
	return b.String()
}

// difference shows two texts around the first byte in which they differ.
func difference(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-200)
	return fmt.Sprintf("\n    …%s\n    …%s", a[from:min(len(a), i+300)], b[from:min(len(b), i+300)])
}
