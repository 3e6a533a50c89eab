package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// takenText says what came of signals that were sent.
func takenText(taken, known int32) string {
	said := counted(int64(taken), "signal", "signals") + " taken"
	if known > 0 {
		said += fmt.Sprintf("; %s no news", grouped(int64(known)))
	}
	return said
}

// counted is a number with its word.
func counted(n int64, one, many string) string {
	return text.Counted(n, one, many)
}

// lacking says which of the words that every signal needs is not in one, in the
// words of the file; "": none.
func lacking(x *musterv1.Signal) string {
	switch {
	case x.GetNodeName() == "":
		return "nodeName is missing: the node that it is about"
	case x.GetAgent() == "":
		return "agent is missing: who saw it, as in dcgm"
	case x.GetCheckName() == "":
		return "checkName is missing: which check spoke, as in GPUMissing"
	case x.GetGeneratedTimestamp() == nil:
		return "generatedTimestamp is missing: when it was seen, as in 2026-11-21T12:00:00Z"
	}
	return ""
}

var signalField = regexp.MustCompile(`^signals\[(\d+)\]\.?(.*)$`)

// inTheFile says what the server found malformed in signals with their place in
// the file and in its words, and not as the places of a request.
func (o *signalSendOptions) inTheFile(err error, from int) error {
	var refusal *client.Refusal
	if o.file == "" || !errors.As(err, &refusal) || len(refusal.Fields) == 0 {
		return err
	}
	lines := make([]string, len(refusal.Fields))
	for i, f := range refusal.Fields {
		place := f.GetField()
		if m := signalField.FindStringSubmatch(place); m != nil {
			n, _ := strconv.Atoi(m[1])
			place = strings.TrimSuffix(fmt.Sprintf("signal %d: %s", from+n+1, camel(m[2])), ": ")
		}
		lines[i] = o.file + ": " + place + ": " + f.GetMessage()
	}
	return usage("%s", strings.Join(lines, "\n"))
}

// camel is a name of the API as JSON writes it: node_name is nodeName.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// conditionTable is for people: what was seen, who knows it, and what follows.
func conditionTable(list []*musterv1.Condition) *table {
	t := newTable("No health signals.",
		column{head: "NODE", name: true}, column{head: "SINCE"}, column{head: "LAST", wide: true}, column{head: "COUNT", right: true},
		column{head: "SIGNAL", folds: true}, column{head: "RULE", folds: true}, column{head: "ASKS FOR", folds: true},
		column{head: "MESSAGE", wide: true})
	for _, c := range list {
		t.add(c.GetNode(), c.GetSince(), c.GetLast(), c.GetCount(), conditionText(c), orElse(c.GetRule(), "unknown"),
			mark{asksText(c), stateStyles[c.GetAsks()]}, c.GetMessage())
	}
	return t
}

// conditionText says what was seen: XIDErrors 79 on GPU 3 (dcgm).
func conditionText(c *musterv1.Condition) string {
	text := strings.TrimSpace(c.GetCheck() + " " + strings.Join(c.GetCodes(), ", "))
	if len(c.GetEntities()) > 0 {
		text += " on " + strings.Join(c.GetEntities(), ", ")
	}
	text += " (" + c.GetAgent() + ")"
	if a := c.GetAction(); a != "" && !slices.Contains(actions, a) {
		text += ", unknown action " + a
	}
	return text
}

// actions are those that monitors recommend, as NVSentinel words them.
var actions = []string{
	"NONE", "COMPONENT_RESET", "CONTACT_SUPPORT", "RUN_FIELDDIAG", "RESTART_VM", "RESTART_BM", "REPLACE_VM", "RUN_DCGMEUD", "RESTART_APP", "UNKNOWN",
}

func asksText(c *musterv1.Condition) string {
	switch {
	case !c.GetLive():
		return "over"
	case c.GetHeld() != "":
		return strings.TrimSpace(orElse(c.GetAsks(), "nothing") + ", held by " + c.GetHeld())
	}
	return orElse(c.GetAsks(), "nothing")
}

// conditionRows are for programs, each thing in a column of its own.
func conditionRows(list []*musterv1.Condition) *table {
	t := newTable("", column{head: "NODE"}, column{head: "SINCE"}, column{head: "LAST"}, column{head: "COUNT"}, column{head: "AGENT"},
		column{head: "CHECK"}, column{head: "CODES"}, column{head: "ON"}, column{head: "RULE"}, column{head: "ASKS FOR"},
		column{head: "HELD BY"}, column{head: "OVER"}, column{head: "MESSAGE"}, column{head: "ACTION"})
	for _, c := range list {
		over := ""
		if !c.GetLive() {
			over = "over"
		}
		t.add(c.GetNode(), c.GetSince(), c.GetLast(), c.GetCount(), c.GetAgent(), c.GetCheck(), c.GetCodes(), c.GetEntities(),
			orElse(c.GetRule(), "unknown"), c.GetAsks(), c.GetHeld(), over, c.GetMessage(), c.GetAction())
	}
	return t
}
