package change

import (
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

var (
	nodesField    = field{name: "nodes", label: "Nodes", hint: "names, with spaces between them", sample: "tiger-h200-i1-001", must: true, fixed: true, sets: "names"}
	scopeField    = field{name: "scope", label: "Where", hint: "cluster, partition or island", sample: "the fleet"}
	severityField = field{name: "severity", label: "Severity", choices: []choice{{"", "not said"}, {"sev0", "sev0, the worst"}, {"sev1", "sev1"}, {"sev2", "sev2"}, {"sev3", "sev3"}, {"sev4", "sev4"}}}
	ownerField    = field{name: "owner", label: "Owner", hint: "who works on it", sample: "nobody yet"}
	linkField     = field{name: "link", label: "Link", hint: "where it is written down", sample: "https://…", example: true}
	incidentField = field{name: "name", label: "Incident", sample: "cooling-7", must: true, fixed: true}
)

func nodePage(f values) string {
	if name := f["nodes"]; !strings.ContainsAny(name, " ,") {
		return "/node/" + name
	}
	return "/nodes"
}

// nodeState is a row that puts nodes into a state.
func nodeState(name, title, says, button, state string, danger bool) action {
	return action{
		name: name, title: title, says: says, button: button, danger: danger, roles: engineers, nav: "nodes", fields: []field{nodesField},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Fleet.SetNodes, &musterv1.SetNodesRequest{Write: a.write, Names: a.list("nodes"), State: state})
		},
		command: func(f values) []string {
			return append([]string{"muster", "node", name}, (&attempt{values: f}).list("nodes")...)
		},
		back: nodePage,
	}
}

// metalActions change nodes, incidents, buffers, and what automation does.
var metalActions = []action{
	nodeState("cordon", "Cordon nodes", "The nodes keep what runs on them and take nothing new (state suspect).", "Cordon", "suspect", false),
	nodeState("drain", "Drain nodes", "The nodes are put under maintenance: what runs on them is evicted, each workload within its grace.", "Drain", "maintenance", true),
	nodeState("uncordon", "Return nodes to service", "The nodes are healthy again from now on, without a validation.", "Return to service", "healthy", false),
	{
		name: "open-incident", title: "Open an incident", says: "Says that something is broken: where, how bad, and who works on it.", button: "Open the incident", roles: engineers, nav: "fleet",
		fields: []field{
			{name: "name", label: "Name", sample: "cooling-7", must: true},
			scopeField, severityField,
			{name: "nodes", label: "Nodes", hint: "names, with spaces between them", sample: "all of it"},
			ownerField, linkField,
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Fleet.OpenIncident, &musterv1.OpenIncidentRequest{
				Write: a.write, Name: a.text("name"), Scope: a.text("scope"), Severity: a.text("severity"), Nodes: a.list("nodes"), Owner: a.text("owner"), Link: a.text("link"),
			})
		},
		command: func(f values) []string {
			return flags([]string{"muster", "incident", "open", f["name"]}, "--scope", f["scope"], "--severity", f["severity"], "--node", strings.Join((&attempt{values: f}).list("nodes"), ","), "--owner", f["owner"], "--link", f["link"])
		},
		back: incidentPage,
	},
	{
		name: "update-incident", title: "Update an incident", says: "Says what is known of it now. An empty field stays as it is.", button: "Update the incident", roles: engineers, nav: "fleet",
		fields: []field{
			incidentField, severityField, ownerField, linkField, {name: "note", label: "What was found out", sample: "the pump is replaced", example: true},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			m := &musterv1.UpdateIncidentRequest{Write: a.write, Name: a.text("name"), Note: a.text("note")}
			for name, to := range map[string]**string{"severity": &m.Severity, "owner": &m.Owner, "link": &m.Link} {
				if s := a.text(name); s != "" {
					*to = &s
				}
			}
			return send(a, a.v.Fleet.UpdateIncident, m)
		},
		command: func(f values) []string {
			return flags([]string{"muster", "incident", "update", f["name"]}, "--severity", f["severity"], "--owner", f["owner"], "--link", f["link"], "--note", f["note"])
		},
		back: incidentPage,
	},
	{
		name: "close-incident", title: "Close an incident", says: "Says that it is over. It stays in the list of closed incidents.", button: "Close the incident", roles: engineers, nav: "fleet",
		fields: []field{incidentField},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Fleet.CloseIncident, &musterv1.CloseIncidentRequest{Write: a.write, Name: a.text("name")})
		},
		command: func(f values) []string { return []string{"muster", "incident", "close", f["name"]} },
		back:    incidentPage,
	},
	{
		name: "burst", title: "Judge a burst", says: "Many nodes reported the same at once, so none of them was taken out of service. Say whether it is the nodes after all.", button: "Judge it", roles: engineers, nav: "nodes",
		fields: []field{
			{name: "partition", label: "Partition", sample: "tiger/h200", must: true, fixed: true},
			{name: "signature", label: "Signal", sample: "dcgm XIDErrors 109", must: true, fixed: true},
			{name: "verdict", label: "It is", must: true, choices: []choice{{"false", "a false alarm: leave the nodes in service"}, {"real", "real: the signals count against the nodes"}}},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Health.JudgeBurst, &musterv1.JudgeBurstRequest{Write: a.write, Partition: a.text("partition"), Signature: a.text("signature"), Real: a.text("verdict") == "real"})
		},
		command: func(f values) []string {
			verdict := "--unreal"
			if f["verdict"] == "real" {
				verdict = "--real"
			}
			return []string{"muster", "health", "judge", f["partition"], f["signature"], verdict}
		},
		back: func(values) string { return "/nodes" },
	},
	{
		name: "breaker", title: "Close a breaker", says: "Lets automation take nodes out of service in the partition again.", button: "Let automation act again", roles: engineers, nav: "nodes",
		fields: []field{{name: "partition", label: "Partition", sample: "tiger/h200", must: true, fixed: true}},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Health.ResetBreaker, &musterv1.ResetBreakerRequest{Write: a.write, Partition: a.text("partition")})
		},
		command: func(f values) []string { return []string{"muster", "health", "reset", f["partition"]} },
		back:    func(values) string { return "/nodes" },
	},
	{
		name: "acknowledge", title: "Acknowledge a warning", says: "Says to everybody who reads pages that you know of it. It is shown as acknowledged, by you, until then.",
		button: "Acknowledge it", roles: engineers, nav: "nodes",
		fields: []field{
			{name: "warning", label: "Warning", hint: "its key, as muster status lists it", sample: "breaker tiger/h200 2026-11-29T11:00:31Z", must: true, fixed: true, sets: "key"},
			{name: "lasts", label: "For", must: true, choices: []choice{{"1h", "1 hour"}, {"8h", "8 hours"}, {"24h", "1 day"}, {"168h", "7 days"}}},
		},
		do: acknowledge,
		command: func(f values) []string {
			return []string{"muster", "health", "acknowledge", f["warning"], "--for", f["lasts"]}
		},
		back: func(values) string { return "/nodes#banners" },
	},
	{
		name: "buffer", title: "Set a buffer policy", says: "Sets how many healthy nodes a cluster, a partition or an island keeps back from promises.", button: "Set the policy", roles: managers, nav: "promise",
		fields: []field{
			{name: "scope", label: "Where", hint: "cluster, partition or island", sample: "tiger/h200", must: true},
			{name: "kind", label: "Policy", must: true, choices: bufferChoices()},
			{name: "share", label: "Share in %", hint: "of " + words.ShareKinds(), sample: "15", example: true},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			b := &musterv1.Buffer{Kind: a.text("kind")}
			if b.GetKind() == "inherit" {
				b = nil
			}
			if b != nil && !words.BufferLearns(b.GetKind()) {
				b.Share = a.share("share")
			}
			return send(a, a.v.Fleet.SetBuffer, &musterv1.SetBufferRequest{Write: a.write, Scope: a.text("scope"), Buffer: b})
		},
		command: bufferCommand,
		back: func(f values) string {
			if strings.Count(f["scope"], "/") == 1 {
				return "/partition/" + f["scope"]
			}
			return "/promise"
		},
	},
}

// bufferChoices are the kinds that a policy may have, and none.
func bufferChoices() (list []choice) {
	for _, kind := range words.BufferKinds() {
		list = append(list, choice{kind.Name, kind.Name + ": " + kind.Means})
	}
	return append(list, choice{"inherit", "none of its own: the next wider one holds"})
}

// bufferCommand is what sets the same policy on the command line.
func bufferCommand(f values) []string {
	policy := f["kind"]
	if share, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(f["share"]), "%"), 64); err == nil {
		policy = words.PolicyWord(policy, share)
	}
	return []string{"muster", "buffer", "set", f["scope"], policy}
}

func incidentPage(f values) string { return "/incident/" + f["name"] }

// acknowledge says that the reader has seen a warning.
func acknowledge(a *attempt) (*musterv1.Written, error) {
	lasts, ok := words.Length(a.text("lasts"))
	if !ok || lasts <= 0 || lasts > 30*24*time.Hour {
		a.unfit("lasts", "a length of time of up to 30 days", "one such as 8h")
	}
	return send(a, a.v.System.AcknowledgeWarning, &musterv1.AcknowledgeWarningRequest{Write: a.write, Key: a.text("warning"), Lasts: durationpb.New(lasts)})
}
