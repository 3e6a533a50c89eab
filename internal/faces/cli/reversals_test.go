package cli

import (
	"fmt"
	"slices"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/event"
)

// notTakenBack says why no command of muster undo takes events of a kind back.
var notTakenBack = map[string][]string{
	"the whole record that has them is taken back": {"node.changed", "rollout.set"},
	"it follows from other events, or is seen and not decided": {
		"backing.aligned", "breaker.tripped", "burst.accused", "burst.over", "cloud.counted", "condition.changed", "cores.released",
		"cores.reserved", "evidence.seen", "failure.explained", "fit.observed", "gang.returned", "grant.ended", "hold.ended",
		"holds.changed", "island.added", "node.leaving", "node.observed", "node.owned", "node.validated", "nodes.added",
		"operation.intended", "operation.reported", "partition.added", "partition.halted", "protection.cut", "replicas.evicted",
		"replicas.lost", "replicas.observed", "replicas.overdue", "replicas.placed", "replicas.started", "replicas.stopped",
		"replicas.unfit", "reports.resumed", "reports.stopped", "reservation.ended", "server.started", "signals.taken",
		"usage.measured", "visit.moved", "workload.adopted", "workload.finished",
	},
	"it ends something, which is made anew": {
		"haircut.deleted", "haircut.undone", "incident.closed", "proposal.ended", "quota.deleted", "request.ended", "role.revoked",
		"sessions.ended", "subscription.ended", "token.revoked", "workload.cancelled",
	},
	"it says something, or agrees to it": {
		"burst.judged", "cluster.checked-in", "cluster.touched", "configuration.judged", "grant.ending", "haircut.reviewed",
		"haircut.told", "incident.updated", "outside.confirmed", "proposal.made", "request.offered", "warning.acknowledged", "workload.agreed",
	},
	"its own command is the way back, with what held before": {
		"access.set", "blueprint.added", "breaker.reset", "cluster.added", "cluster.mode-set", "cluster.planned", "cluster.replanned", "cluster.turned",
		"health.policy.set", "role.granted", "subscription.set", "targets.set", "token.made", "workload.paused",
		"workload.resumed",
	},
}

// Each kind of event is taken back by a command of muster undo, or it is said here why none does. A new kind
// is one or the other.
func TestEachKindOfEventIsTakenBackOrNotForAReason(t *testing.T) {
	why := map[string]string{}
	for reason, kinds := range notTakenBack {
		for _, kind := range kinds {
			if why[kind] != "" || reversals[kind] != nil || !slices.Contains(event.Kinds(), kind) {
				t.Errorf("%s is said not to be taken back (%s): twice, beside a command that does, or where no such event is", kind, reason)
			}
			why[kind] = reason
		}
	}
	for _, kind := range event.Kinds() {
		if reversals[kind] == nil && why[kind] == "" {
			t.Errorf("%s: add the command that takes it back to reversals, or say in notTakenBack why none does", kind)
		}
	}
}

// Of a grant that was set several times one command takes all back; nothing does where it is again what it was.
func TestStepsOfAGrantAreTakenBackAsOne(t *testing.T) {
	set := func(seq uint64, reason string, was, gpus int) *musterv1.Record {
		data := fmt.Sprintf(`{"quota":"oak","partition":"t/g","was":%d,"gpus":%d}`, was, gpus)
		return &musterv1.Record{Seq: seq, Reason: reason, Events: []*musterv1.Event{{Kind: "grant.set", Data: data}, {Kind: "backing.aligned", Data: "{}"}}}
	}
	records := []*musterv1.Record{set(3, "", 32, 400), set(4, "", 400, 48), set(5, "", 48, 40)}
	on, same := steps(records, takenBack(records))
	if on[3] || !on[4] || !on[5] || same[3] {
		t.Errorf("steps %v, the same %v", on, same)
	}
	if _, same := steps(append(records, set(6, "", 40, 32)), nil); !same[3] {
		t.Error("a grant that is what it was is listed")
	}
	if back := takenBack(append(records, set(6, "undo 3", 40, 32))); back[3] != 1 || back[4] != 1 || back[5] != 1 {
		t.Errorf("the undo of the first left steps: %v", back)
	}
}
