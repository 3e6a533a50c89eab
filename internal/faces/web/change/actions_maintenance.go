package change

import (
	"cmp"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/recurrence"
	"github.com/muster-fleet/muster/internal/answer/words"
)

var (
	impactField  = field{name: "impact", label: "Impact", must: true, choices: []choice{{"restart", "restart: the node restarts"}, {"replace", "replace: another machine comes back"}, {"freeze", "freeze: the node pauses"}, {"none", "none"}}}
	lastsField   = field{name: "lasts", label: "Takes", hint: "on one node", sample: "45m", must: true}
	freezeField  = field{name: "freeze", label: "Pauses for", hint: "of impact freeze: at most; work that bears so long a freeze stays", sample: "30s", example: true}
	rolloutField = field{name: "name", label: "Rollout", sample: "driver-580", must: true, fixed: true}
)

func maintenancePage(values) string { return "/maintenance" }

// span reads how long something lasts; nil where the field is empty.
func (a *attempt) span(name string) *durationpb.Duration {
	word := a.values[name]
	if word == "" {
		return nil
	}
	d, ok := words.Length(word)
	if !ok || d <= 0 {
		a.unfit(name, "a length of time", "one such as 45m, 24h or 2d")
	}
	return durationpb.New(d)
}

// fromIn reads a moment to come in a time zone; an empty field is now.
func (a *attempt) fromIn(name string, zone *time.Location) *timestamppb.Timestamp {
	if a.values[name] == "" || a.values[name] == "now" {
		return timestamppb.New(a.v.Now)
	}
	return a.untilIn(name, zone)
}

// zone reads a time zone; an empty field is UTC.
func (a *attempt) zone(name string) *time.Location {
	zone, err := recurrence.Location(a.values[name])
	if err != nil {
		a.fault(name, err.Error())
		return time.UTC
	}
	return zone
}

// otherCause is the choice that a canary failed for another cause than the update.
const otherCause = "other"

// causeField asks why a canary failed.
var causeField = field{
	name: "cause", label: "If a canary failed", hint: "for another cause that the reason says: another canary is taken",
	choices: []choice{{"update", "the update may be why"}, {otherCause, "it was not the update"}},
}

// moveRollout is a row that pauses, resumes or abandons a rollout.
func moveRollout(verb, title, says, state string, danger bool, more ...field) action {
	return action{
		name: verb + "-rollout", title: title, says: says, button: title, danger: danger, roles: engineers, nav: "maintenance", fields: append([]field{rolloutField}, more...),
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Maintenance.MoveRollout, &musterv1.MoveRolloutRequest{
				Write: a.write, Name: a.text("name"), State: state, NotTheUpdate: a.values["cause"] == otherCause,
			})
		},
		command: func(f values) []string {
			command := []string{"muster", "rollout", verb, f["name"]}
			if f["cause"] == otherCause {
				command = append(command, "--not-the-update")
			}
			return command
		},
		back: maintenancePage,
	}
}

// maintenanceActions change planned work on nodes.
var maintenanceActions = []action{
	{
		name: "add-update", title: "Make an update known", says: "A component of nodes to a version. A rollout brings it to them.", button: "Make it known", roles: engineers, nav: "maintenance",
		fields: []field{
			{name: "name", label: "Name", sample: "driver-580", must: true},
			{name: "component", label: "Component", sample: "gpu-driver", must: true},
			{name: "version", label: "Version", sample: "580", must: true},
			{name: "gpus", label: "GPU models", hint: "that it fits", sample: "all"},
			impactField, freezeField, lastsField,
			{name: "deadline", label: "Deadline", hint: "by then it happens, whether people like it or not", sample: "none"},
			{name: "executor", label: "Carried out by", must: true, choices: []choice{{"people", "people"}, {"job", "a Kubernetes Job on the node"}, {"provider", "the cloud, which applies what it keeps pending"}, {"simulated", "the server, which plays it"}}},
		},
		do: addUpdate,
		command: func(f values) []string {
			return flags([]string{"muster", "update", "add", f["name"], f["component"], f["version"]}, "--gpu", strings.Join((&attempt{values: f}).list("gpus"), ","),
				"--impact", f["impact"], "--freeze", f["freeze"], "--lasts", f["lasts"], "--deadline", f["deadline"], "--executor", f["executor"])
		},
		back: maintenancePage,
	},
	{
		name: "start-rollout", title: "Start a rollout", says: "Brings updates to the nodes of a scope: a canary first, then waves. It takes only what no quota was promised.", button: "Start the rollout", roles: engineers, nav: "maintenance",
		fields: []field{
			{name: "name", label: "Name", sample: "driver-580", must: true},
			{name: "scope", label: "Where", hint: "fleet, cluster, partition or island", sample: "tiger/h200", must: true},
			{name: "updates", label: "Updates", hint: "names, with spaces between them", sample: "driver-580", must: true},
			{name: "canary", label: "Nodes of the canary", sample: "2", sets: "canary_nodes"},
			{name: "soak", label: "Soak of the canary", sample: "24h"},
			{name: "anywhere", label: "Canaries may stand outside the scope, where nothing keeps them", check: true},
			{name: "bisect", label: "Search for the update that fails, where a canary of several fails", check: true},
		},
		do: startRollout,
		command: func(f values) []string {
			words := flags([]string{"muster", "rollout", "start", f["name"]}, "--scope", f["scope"], "--update", strings.Join((&attempt{values: f}).list("updates"), ","), "--canary", f["canary"], "--soak", f["soak"])
			if f["anywhere"] != "" {
				words = append(words, "--canary-anywhere")
			}
			if f["bisect"] != "" {
				words = append(words, "--bisect")
			}
			return words
		},
		back: maintenancePage,
	},
	moveRollout("pause", "Pause a rollout", "No more visits begin. One that has begun is finished.", "paused", false),
	moveRollout("resume", "Resume a rollout", "Visits begin again, as its gates and limits allow.", "running", false, causeField),
	moveRollout("abandon", "Abandon a rollout", "No more visits begin, for good. One that has begun is finished.", "abandoned", true),
	{
		name: "add-zone", title: "Add a no-fly zone", says: "Keeps maintenance that freezes, restarts or replaces nodes away for a time. The maintenance page shows what that costs.", button: "Add the zone", nav: "maintenance",
		fields: []field{
			{name: "name", label: "Name", sample: "launch", must: true},
			{name: "scope", label: "Where", hint: "cluster, partition, island or quota", sample: "tiger", example: true},
			{name: "workload", label: "Or a workload", hint: "the nodes that it holds", sample: "oak/moonshot", example: true},
			{name: "from", label: "From", hint: "a day, a time, or so long from now", sample: "now"},
			{name: "to", label: "To", sample: "7d, or 2026-12-15", must: true},
			{name: "time_zone", label: "Time zone", hint: "of these days and times, and of the rule", sample: "UTC, or Europe/London"},
			{name: "blocks", label: "Keeps away", hint: "impacts, with spaces between them", sample: "freeze restart replace"},
			{name: "recur", label: "Repeats", hint: "a rule of RFC 5545; From to To is the first time", sample: "once, or FREQ=WEEKLY;COUNT=10"},
			{name: "why", label: "What for", sample: "launch of the model", must: true, sets: "reason"},
			{name: "owner", label: "Owner", sample: "ada", must: true},
			{name: "link", label: "Link", sample: "https://…", must: true},
		},
		do: addZone,
		command: func(f values) []string {
			return flags([]string{"muster", "nfz", "add", f["name"]}, "--scope", f["scope"], "--workload", f["workload"], "--from", cmp.Or(f["from"], "0h"), "--to", f["to"], "--time-zone", f["time_zone"], "--recur", f["recur"], "--block", strings.Join((&attempt{values: f}).list("blocks"), ","), "--owner", f["owner"], "--link", f["link"])
		},
		back: maintenancePage,
	},
	{
		name: "end-zone", title: "End a no-fly zone", says: "Visits that it kept away may begin again.", button: "End the zone", roles: zoneSetters, nav: "maintenance",
		fields: []field{{name: "name", label: "Zone", sample: "launch", must: true, fixed: true}},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Maintenance.EndZone, &musterv1.EndZoneRequest{Write: a.write, Name: a.text("name")})
		},
		command: func(f values) []string { return []string{"muster", "nfz", "end", f["name"]} },
		back:    maintenancePage,
	},
	{
		name: "zone-days", title: "Limit the no-fly days of quotas", button: "Set the limit", roles: admins, nav: "maintenance",
		says: "For so many days of a quarter the owners of a quota, and of the quotas under it, may keep updates away from its nodes. Beyond that an operator adds the zone.",
		fields: []field{
			{name: "days", label: "Days of a quarter", hint: "0: no limit", sample: "14", must: true, sets: "zone_days"},
			proposeField,
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			days := a.number("days")
			return send(a, a.v.Fleet.SetPolicy, &musterv1.SetPolicyRequest{Write: a.write, Policy: &musterv1.Policy{Maintenance: &musterv1.MaintenancePolicy{ZoneDays: &days}}})
		},
		back: maintenancePage,
	},
	{
		name: "announce", title: "Announce a maintenance", says: "A maintenance of some nodes at a fixed moment. Within a day of it the nodes back no quota any more.", button: "Announce it", roles: engineers, nav: "maintenance",
		fields: []field{
			{name: "name", label: "Name", sample: "host-update", must: true},
			nodesField,
			{name: "starts", label: "Starts", sample: "3d", must: true},
			lastsField, impactField, freezeField,
			{name: "provider", label: "The provider announces it: it begins whatever zones say", check: true},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Maintenance.AddNotice, &musterv1.AddNoticeRequest{Write: a.write, Notice: &musterv1.Notice{
				Name: a.text("name"), Nodes: a.list("nodes"), Starts: a.until("starts"), Lasts: a.span("lasts"), Impact: a.text("impact"), Freeze: a.span("freeze"), Provider: a.yes("provider"),
			}})
		},
		command: func(f values) []string {
			words := flags([]string{"muster", "notice", "add", f["name"]}, "--node", strings.Join((&attempt{values: f}).list("nodes"), ","), "--starts", f["starts"], "--lasts", f["lasts"], "--impact", f["impact"], "--freeze", f["freeze"])
			if f["provider"] != "" {
				words = append(words, "--provider")
			}
			return words
		},
		back: maintenancePage,
	},
	{
		name: "cancel-maintenance", title: "Cancel a maintenance", says: "The maintenance is not announced any more. Visits that have begun are finished.", button: "Cancel the maintenance", roles: engineers, nav: "maintenance",
		fields: []field{{name: "name", label: "Maintenance", sample: "host-update", must: true, fixed: true}},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Maintenance.CancelNotice, &musterv1.CancelNoticeRequest{Write: a.write, Name: a.text("name")})
		},
		command: func(f values) []string { return []string{"muster", "notice", "cancel", f["name"]} },
		back:    maintenancePage,
	},
}

func addUpdate(a *attempt) (*musterv1.Written, error) {
	u := &musterv1.NodeUpdate{
		Name: a.text("name"), Component: a.text("component"), Version: a.text("version"), Gpus: a.list("gpus"), Impact: a.text("impact"), Freeze: a.span("freeze"), Lasts: a.span("lasts"), Executor: a.text("executor"),
	}
	if a.text("deadline") != "" {
		u.Deadline = a.until("deadline")
	}
	return send(a, a.v.Maintenance.AddUpdate, &musterv1.AddUpdateRequest{Write: a.write, Update: u})
}

func startRollout(a *attempt) (*musterv1.Written, error) {
	m := &musterv1.StartRolloutRequest{Write: a.write, Name: a.text("name"), Scope: a.text("scope"), Updates: a.list("updates"), Soak: a.span("soak"), CanaryAuto: a.yes("anywhere"), Bisect: a.yes("bisect")}
	if n := a.maybe("canary"); n != nil {
		m.CanaryNodes = *n
	}
	return send(a, a.v.Maintenance.StartRollout, m)
}

func addZone(a *attempt) (*musterv1.Written, error) {
	zone := a.zone("time_zone")
	return send(a, a.v.Maintenance.AddZone, &musterv1.AddZoneRequest{Write: a.write, Zone: &musterv1.Zone{
		Name: a.text("name"), Scope: a.text("scope"), Workload: a.text("workload"), From: a.fromIn("from", zone), To: a.untilIn("to", zone),
		Blocks: a.list("blocks"), Recur: a.text("recur"), TimeZone: a.text("time_zone"), Reason: a.text("why"), Owner: a.text("owner"), Link: a.text("link"),
	}})
}
