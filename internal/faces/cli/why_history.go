package cli

import (
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// history says what happened to a workload, line by line.
func (p *page) history(res *musterv1.WhyResponse) {
	p.say("")
	p.say("What happened:")
	if res.GetHistoryCut() {
		p.say("  (older lines: muster why JOB --history)")
	}
	for _, h := range res.GetHistory() {
		text := h.GetText()
		if strings.HasPrefix(h.GetKind(), "workload.") && h.GetActor() != "driver" {
			text += " (" + h.GetActor() + prefixed(": ", h.GetReason()) + ")"
		}
		p.wrapAs(fmt.Sprintf("  %-16s  ", p.moment(h.GetAt().AsTime())), text)
	}
}

// historyRows is the same for programs.
func historyRows(list []*musterv1.Happening) *table {
	t := newTable("", column{head: "AT"}, column{head: "KIND"}, column{head: "TEXT"}, column{head: "BY"}, column{head: "ACTOR"}, column{head: "REASON"}, column{head: "SEQ"})
	for _, h := range list {
		t.add(h.GetAt(), h.GetKind(), h.GetText(), h.GetBy(), h.GetActor(), h.GetReason(), h.GetSeq())
	}
	return t
}
