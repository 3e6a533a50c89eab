package api

import (
	"bufio"
	"os"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// heardByAll are the kinds of events that everybody reads who may read the log, whatever their roles
// reach. None says anything of one workload, but a burst, and a hold for work that stopped: both leave out its name (told).
var heardByAll = []string{
	"access.set", "backing.aligned", "blueprint.added", "breaker.reset", "breaker.tripped", "buffer.cleared", "buffer.set",
	"burst.accused", "burst.judged", "burst.over", "cloud.counted", "cluster.added", "cluster.checked-in", "cluster.mode-set",
	"cluster.planned", "cluster.replanned", "cluster.touched", "cluster.turned", "condition.changed", "configuration.judged",
	"cores.released", "cores.reserved", "evidence.seen", "grant.ended", "grant.set", "grant.transferred", "haircut.reviewed",
	"health.policy.set", "hold.ended", "hold.placed", "incident.closed", "incident.opened", "incident.updated", "island.added",
	"node.changed", "node.leaving", "node.observed", "node.owned", "node.validated", "nodes.added", "notice.set",
	"operation.intended", "operation.reported", "outside.confirmed", "partition.added", "partition.halted", "policy.set",
	"quota.created", "quota.deleted", "quota.owned", "reports.resumed", "reports.stopped", "request.ended", "request.made",
	"request.offered", "rollout.set", "server.started", "signals.taken", "subscription.ended", "targets.set", "update.set",
	"visit.moved", "warning.acknowledged",
}

// A new kind of event is heard by all unless hears is told of it. So each kind is either barred from
// a person without any role, who sees no work of others, or stands in the list above.
func TestEachKindOfEventIsHeardByAllOnPurpose(t *testing.T) {
	eve := &caller{actor: core.Actor{Name: "user:eve", User: "eve", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "eve"}}}
	examples := examplesOfEvents(t)
	for _, kind := range event.Kinds() {
		hears, all := eve.hears(fleet.NewState(), examples[kind], false), slices.Contains(heardByAll, kind)
		switch {
		case hears && !all:
			t.Errorf("everybody hears %s: say in hears or namesWork (admit.go) who may, or list it in heardByAll", kind)
		case !hears && all:
			t.Errorf("%s stands in heardByAll, and hears bars it", kind)
		}
	}
}

// examplesOfEvents are the last example of each kind.
func examplesOfEvents(t *testing.T) map[string]event.Event {
	t.Helper()
	f, err := os.Open("../../state/event/testdata/examples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	examples := map[string]event.Event{}
	lines := bufio.NewScanner(f)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		r, err := event.Decode(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Events {
			examples[e.Kind()] = e
		}
	}
	return examples
}
