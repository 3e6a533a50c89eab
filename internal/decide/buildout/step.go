package buildout

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// step looks at a condition that a step brings about, and begins the step where it is time.
func (k *look) step(w way) Condition {
	s := k.life.Step(w.step)
	c := Condition{
		Type: w.condition, Turn: k.hold(k.before(w)),
		On:  On{System: w.system, Object: s.Operation.ID, Link: s.Operation.Link},
		Try: Try{Tries: s.Tries, Next: s.Trouble.Next, Error: s.Trouble.Error},
	}
	if w.acts && !k.done(s) {
		k.undone(&c, s)
	} else {
		k.seen(&c, w)
	}
	if w.acts && c.Turn && (c.Status == fleet.StatusFalse) {
		k.begin(w, s)
	}
	return c
}

// done says whether the step's operation succeeded for what is wanted now.
func (k *look) done(s fleet.StepState) bool {
	return s.Operation.State == fleet.OperationSucceeded && s.Operation.Generation == k.life.Generation
}

// undone says why an operation has not succeeded yet.
func (k *look) undone(c *Condition, s fleet.StepState) {
	c.Status, c.Fell = fleet.StatusFalse, k.serves() // it is brought back, and does not hold until then
	switch {
	case s.Operation.Live() && !(s.Operation.State == fleet.OperationIntended && s.Trouble.Parked):
		k.underway(c, s)
	case !c.Turn:
		c.Reason = "NotYet"
	case s.Trouble.Parked:
		c.Reason, c.Person = parkedReason(s.Trouble.Class), true
		c.Message = said(s.Trouble) + parkedRemedy(k.life.Record.Name, s)
	case s.Trouble.Failures > 0:
		c.Reason, c.Message = "Retrying", fmt.Sprintf("try %d failed: %s", s.Tries, said(s.Trouble))
		k.wake(s.Trouble.Next)
	default:
		c.Reason = "Starting"
	}
}

// serves says whether the cluster is in production as it is wanted now.
func (k *look) serves() bool {
	return k.life.Course.Produced != 0 && k.life.Course.Generation == k.life.Generation
}

// underway says how an operation that may still succeed stands.
func (k *look) underway(c *Condition, s fleet.StepState) {
	switch s.Operation.State {
	case fleet.OperationBlocked:
		c.Reason, c.Person = "Blocked", !s.Operation.Unblocked
		c.Message = "the operation is blocked until a person lets it go on (`muster cluster unblock " + k.life.Record.Name + "`)"
		if s.Operation.Unblocked {
			c.Message = "a person lets the operation go on, which was blocked"
		}
		if s.Trouble.Error != "" {
			c.Message += ": " + s.Trouble.Error
		}
	case fleet.OperationIntended:
		c.Reason = "Starting"
		if s.Trouble.Failures > 0 {
			c.Reason, c.Message = "Throttled", "it could not begin yet: "+said(s.Trouble)
		}
	default:
		c.Reason, c.Message = "Running", s.Operation.Says
		if s.Operation.Says == "" && s.Trouble.Failures > 0 {
			c.Message = fmt.Sprintf("try %d runs; the one before failed: %s", s.Tries, said(s.Trouble))
		}
	}
}

func said(t fleet.Trouble) string {
	if t.Error == "" {
		return "no error was given"
	}
	return strings.TrimRight(t.Error, ". \n") // it stands within a sentence
}

func parkedReason(c fleet.ErrorClass) string {
	if c == fleet.ErrorFix {
		return "NeedsFix"
	}
	return "NeedsPerson"
}

// parkedRemedy says what tries a step again. A change of what is wanted does by itself (`applyReplanned`), and a retry is a touch.
func parkedRemedy(cluster string, s fleet.StepState) string {
	once := "; once that is mended"
	if s.Trouble.Class == fleet.ErrorFix {
		once = "; once it is mended elsewhere than in the record or the blueprint"
	}
	return once + ", `muster cluster retry " + cluster + " --step " + string(s.Step) + "`"
}

// seen judges what was last seen of a step: at the present generation, and not long ago.
func (k *look) seen(c *Condition, w way) {
	if k.fromFleet(c, w) {
		return
	}
	e, ok := k.life.Saw(w.step)
	switch {
	case !ok && !c.Turn:
		c.Status, c.Reason = fleet.StatusFalse, "NotYet"
	case !ok || e.Generation < k.life.Generation:
		c.Status, c.Reason, c.Message = fleet.StatusUnknown, "NotSeen", "it was not looked at yet"
	case e.At.Add(Fresh) < k.now:
		c.Status, c.Reason, c.Message = fleet.StatusUnknown, "Stale", "it was last looked at "+k.now.Sub(e.At).String()+" ago"
	case !e.Holds:
		c.Status, c.Reason, c.Message, c.Fell = fleet.StatusFalse, "Fell", e.Detail, k.life.Course.Produced != 0
		k.wake(e.At.Add(Fresh) + 1)
	default:
		c.Status, c.Reason, c.Message = fleet.StatusTrue, "Done", e.Detail
		k.wake(e.At.Add(Fresh) + 1)
	}
	if ok && e.Link != "" {
		c.On.Link = e.Link
	}
}

// fromFleet judges the nodes of a cluster in production by what the fleet knows of them.
func (k *look) fromFleet(c *Condition, w way) bool {
	if k.observed.Islands == nil || !k.serves() {
		return false
	}
	switch {
	case k.observed.Stale && (w.step == fleet.StepJoin || w.step == fleet.StepHealth):
		c.Status, c.Reason, c.Message = fleet.StatusUnknown, "ReportsStopped", "the cluster's reports have stopped"
		c.Fell = k.silent(c.Type)
		return true
	case w.step != fleet.StepJoin:
		return false
	}
	c.Status, c.Reason = fleet.StatusTrue, "Done"
	if few := k.fewNodes(); few != "" {
		c.Status, c.Reason, c.Message, c.Fell = fleet.StatusFalse, "Fell", few, true
	}
	return true
}

// fewNodes says in which islands of a cluster in production fewer nodes are ready than are wanted.
func (k *look) fewNodes() string {
	var few []string
	for _, i := range k.observed.Islands {
		if i.Ready < k.wanted(i.Nodes) {
			few = append(few, fmt.Sprintf("island %s: %d of %s ready, %d are wanted", i.Island, i.Ready, text.Counted(i.Nodes, "node is", "nodes are"), k.wanted(i.Nodes)))
		}
	}
	return strings.Join(few, "; ")
}

// silent says whether a condition has been unknown for longer than evidence is fresh.
func (k *look) silent(t fleet.ConditionType) bool {
	since := k.now
	if was, ok := k.life.Condition(t); ok && was.Status == fleet.StatusUnknown {
		since = was.Since
	}
	k.wake(since.Add(Fresh) + 1)
	return since.Add(Fresh) < k.now
}

// wanted is how many nodes of an island must be ready, rounded up.
func (k *look) wanted(nodes int) int {
	if k.blueprint == nil {
		return nodes
	}
	return k.blueprint.Wanted(nodes)
}

// begin intends the step's next operation, where none is under way, no pause is to be
// kept, and no person is waited for.
func (k *look) begin(w way, s fleet.StepState) {
	inService := k.serves() && w.step == fleet.StepJoin // its nodes are health's affair now
	if k.held || s.Operation.Live() || s.Trouble.Parked || s.Trouble.Next > k.now || inService {
		k.wake(s.Trouble.Next)
		return
	}
	k.verdict.Intents = append(k.verdict.Intents, k.intent(w.step, s))
}

func (k *look) intent(step fleet.Step, s fleet.StepState) Intent {
	attempt := 1
	if s.Operation.Generation == k.life.Generation {
		attempt = s.Operation.Attempt + 1
	}
	return Intent{step, OperationID(k.life.Record.Name, step, k.life.Generation, attempt), k.life.Generation, attempt}
}

// cores writes a number of cores.
func cores(n int) string { return strconv.Itoa(n) + " cores" }
