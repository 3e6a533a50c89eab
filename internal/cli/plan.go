package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// becomes says each kind of event as something that would happen to what it is about.
var becomes = map[string]string{
	"cluster.added": "joins the fleet", "partition.added": "gets a partition", "island.added": "gets an island",
	"nodes.added": "gets nodes", "node.changed": "changes its state", "reports.stopped": "has stopped to report",
	"reports.resumed": "reports again", "policy.set": "gets another policy", "buffer.set": "gets another buffer policy",
	"incident.opened": "opens as an incident", "incident.closed": "is closed",
	"quota.created": "is created", "quota.deleted": "is deleted", "access.set": "gets another access list",
	"targets.set": "gets other targets", "cluster.mode-set": "gets another mode", "quota.owned": "gets another owner",
	"haircut.planned": "is saved as a plan", "haircut.reviewed": "is reviewed", "haircut.told": "is told to the people concerned",
	"haircut.applied": "has a wave put into force", "haircut.undone": "has a wave undone",
	"grant.set": "gets a grant", "grant.transferred": "gives quota away", "hold.placed": "is held", "hold.ended": "is held no more",
	"backing.aligned":    "backs its quotas anew",
	"workload.submitted": "is submitted", "workload.cancelled": "is cancelled", "workload.finished": "ends",
	"workload.retargeted": "gets another target", "workload.prioritised": "gets another priority",
	"replicas.placed": "starts", "replicas.started": "starts in its reserved room",
	"replicas.evicted": "must leave", "gang.returned": "goes back to its queue", "replicas.stopped": "has left",
	"replicas.overdue": "is told again to leave", "replicas.lost": "loses replicas", "reservation.ended": "gives up its reserved room", "holds.changed": "holds its GPUs otherwise",
}

// plan says an event that would happen.
func (n *names) plan(e *musterv1.Event) string {
	if text := planQuota(e); text != "" {
		return text
	}
	about, rest := n.event(e)
	verb := becomes[e.GetKind()]
	switch {
	case verb == "":
		verb = e.GetKind()
	case strings.Contains(e.GetData(), `"reserved":true`):
		verb = "has room reserved until others have left"
		rest = strings.TrimSuffix(rest, " reserved")
	}
	text := verb
	if about != "" {
		text = about + " " + verb
	}
	if rest != "" {
		text += ": " + rest
	}
	return text
}

// figured is what events about quota and metal say that is worth a sentence.
type figured struct {
	Quota, Partition, Node, From, To, Signal string
	GPUs, Was, Promisable                    int
	Backing                                  []struct {
		Quota, Island string
		Nodes         int
	}
}

// planQuota says an event about quota or metal with its figures, "" for others.
func planQuota(e *musterv1.Event) string {
	var f figured
	if json.Unmarshal([]byte(e.GetData()), &f) != nil {
		return ""
	}
	switch e.GetKind() {
	case "grant.set":
		return fmt.Sprintf("%s gets a grant of %d GPUs in %s (it has %d)", f.Quota, f.GPUs, f.Partition, f.Was)
	case "grant.transferred":
		return fmt.Sprintf("%d GPUs of quota in %s go from %s to %s", f.GPUs, f.Partition, f.From, f.To)
	case "node.changed":
		return fmt.Sprintf("%s turns from %s to %s", f.Node, f.From, f.To)
	case "backing.aligned":
		return f.aligned()
	}
	return ""
}

// aligned says what backs the quotas then, where it differs.
func (f figured) aligned() string {
	var parts []string
	for _, b := range f.Backing {
		parts = append(parts, fmt.Sprintf("%s by %s of %s", b.Quota, nodes(b.Nodes), b.Island))
	}
	text := fmt.Sprintf("%s can promise %s", f.Partition, nodes(f.Promisable))
	if len(parts) > 0 {
		text += "; backed then: " + strings.Join(parts, ", ")
	}
	return text
}
