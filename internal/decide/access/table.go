package access

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Action is what a caller may do or not. Every command and every RPC is one.
type Action string

// What is asked. Only these are named *.read: their RPCs change nothing, and say so (NO_SIDE_EFFECTS).
const (
	AskSelf      Action = "self.read"     // who one is, which Muster this is
	ReadFigures  Action = "figures.read"  // capacity, promises, quotas, nodes and their health, as figures
	ReadWork     Action = "work.read"     // workloads, why they wait, when they start
	ReadPlans    Action = "plans.read"    // what is decided about everybody's work: haircuts, shadow decisions
	ReadEvents   Action = "events.read"   // the log; of others' work nothing is shown
	ReadLogs     Action = "logs.read"     // what builds clusters writes: names and addresses of what stands in a cloud
	ReadSecrets  Action = "secrets.read"  // what webhooks are signed with
	ReadBindings Action = "bindings.read" // who has which role
	ReadAudit    Action = "audit.read"    // denials, sign-ins, tokens used
)

// What is done with work.
const (
	SubmitWork Action = "work.submit"
	ChangeWork Action = "work.change" // cancel, retarget, resize, order; the submitter always may
	AskQuota   Action = "quota.ask"
	CallBack   Action = "quota.withdraw" // a request: who asked, and who answers it
)

// What is done with quota.
const (
	OfferQuota   Action = "quota.offer"
	AnswerAccess Action = "quota.answer-access"
	AnswerQuota  Action = "quota.answer"
	SetAccess    Action = "quota.set-access"
	ManageQuota  Action = "quota.manage" // create, delete, grant, name an owner, hold free capacity
	MoveQuota    Action = "quota.transfer"
	HoldInside   Action = "quota.hold" // part of a quota for one of its people
	CutQuota     Action = "quota.cut"  // haircuts: plan, tell, apply, undo
	SetPromise   Action = "promise.set-buffer"
)

// What is done with nodes and clusters.
const (
	RunNodes     Action = "nodes.run" // state, release, breakers, bursts
	RunIncidents Action = "incidents.run"
	SetHealth    Action = "health.set-policy"
	SendSignals  Action = "signals.send"
	SendUsage    Action = "usage.send"
	Validate     Action = "nodes.validate"
	Maintain     Action = "maintenance.run" // updates, rollouts, announced maintenances, how visits went
	SetZone      Action = "zones.set"       // no-fly zones
	Build        Action = "clusters.build"  // clusters, partitions, islands
	SetMode      Action = "clusters.set-mode"
	Report       Action = "clusters.report" // what an agent says of its cluster
)

// What is done with Muster itself.
const (
	Pass        Action = "pass" // a batch, of which each command is judged by itself; and time
	SetPolicy   Action = "policy.set"
	Subscribe   Action = "subscriptions.set"
	BindRoles   Action = "roles.bind"
	BreakSeal   Action = "roles.break-glass"
	ManageToken Action = "tokens.manage"
	ActFor      Action = "users.act-for"
	EndSession  Action = "sessions.end"
	Second      Action = "changes.two-people" // propose a change, and answer what another person proposed
)

// Rule is a row of the table: who may do something.
type Rule struct {
	Action Action
	Means  string // in words, for the table in the documents
	// Everybody who is known to the server may; what is shown or taken still depends on
	// whose it is.
	Everybody bool
	// Own says that a person may where the thing is their own, whatever their roles.
	Own   bool
	Roles []fleet.Role // that allow it, in their scope; admin always does
}

// The roles that answer for something of the whole fleet.
var staff = []fleet.Role{fleet.Manager, fleet.FleetEngineer, fleet.Builder, fleet.Auditor}

func among(more ...fleet.Role) []fleet.Role { return append(slices.Clone(more), staff...) }

// Table is who may do what: the only place that says so.
func Table() []Rule {
	return []Rule{
		{Action: AskSelf, Means: "ask who one is, and which Muster this is", Everybody: true},
		{Action: ReadFigures, Means: "read capacity, promises, quotas, nodes and their health, as figures", Everybody: true},
		{Action: ReadWork, Means: "read workloads: those of the scope in full", Own: true, Roles: among(fleet.Viewer, fleet.Researcher, fleet.TeamLead, fleet.QuotaLead)},
		{Action: ReadPlans, Means: "read proposals, haircuts and shadow decisions; work outside the scope has no name in them", Roles: among(fleet.Viewer)},
		{Action: ReadEvents, Means: "read the log; events about work outside the scope are left out", Everybody: true, Roles: among(fleet.Viewer)},
		{Action: ReadLogs, Means: "read the logs of what builds clusters, which name what stands in a cloud", Roles: among()},
		{Action: ReadSecrets, Means: "read what webhooks are signed with", Roles: []fleet.Role{fleet.Manager}},
		{Action: ReadBindings, Means: "read who has which role; one's own everybody may", Own: true, Roles: []fleet.Role{fleet.Auditor}},
		{Action: ReadAudit, Means: "read the audit log", Roles: []fleet.Role{fleet.Auditor}},

		{Action: SubmitWork, Means: "submit workloads into a namespace", Roles: []fleet.Role{fleet.Researcher, fleet.TeamLead}},
		{Action: ChangeWork, Means: "cancel, retarget, resize and order workloads", Own: true, Roles: []fleet.Role{fleet.TeamLead}},
		{Action: AskQuota, Means: "ask for quota, or for access to one", Everybody: true},
		{Action: CallBack, Means: "take a request back", Own: true, Roles: []fleet.Role{fleet.Manager}},

		{Action: OfferQuota, Means: "offer GPUs of a quota for another's request", Own: true, Roles: []fleet.Role{fleet.QuotaLead, fleet.Manager}},
		{Action: AnswerAccess, Means: "answer a request for access, but never one's own", Own: true, Roles: []fleet.Role{fleet.QuotaLead, fleet.Manager}},
		{Action: AnswerQuota, Means: "answer a request for GPUs, but never one's own", Roles: []fleet.Role{fleet.Manager}},
		{Action: SetAccess, Means: "set who may use a quota", Roles: []fleet.Role{fleet.QuotaLead, fleet.Manager}},
		{Action: ManageQuota, Means: "create and delete quotas, grant, name owners, hold free capacity", Roles: []fleet.Role{fleet.Manager}},
		{Action: MoveQuota, Means: "transfer GPUs between two quotas that the role reaches", Roles: []fleet.Role{fleet.QuotaLead, fleet.Manager}},
		{Action: HoldInside, Means: "hold part of a quota for one of its people", Roles: []fleet.Role{fleet.QuotaLead, fleet.Manager}},
		{Action: CutQuota, Means: "plan, review, tell, apply and undo haircuts", Roles: []fleet.Role{fleet.Manager}},
		{Action: SetPromise, Means: "set what is held back and what is aimed for", Roles: []fleet.Role{fleet.Manager}},

		{Action: RunNodes, Means: "cordon, quarantine and release nodes, reset breakers, judge bursts", Roles: []fleet.Role{fleet.FleetEngineer}},
		{Action: RunIncidents, Means: "open, update and close incidents", Roles: []fleet.Role{fleet.FleetEngineer}},
		{Action: SetHealth, Means: "set the health policy", Roles: []fleet.Role{fleet.FleetEngineer}},
		{Action: SendSignals, Means: "send health signals", Roles: []fleet.Role{fleet.Monitor, fleet.FleetEngineer}},
		{Action: SendUsage, Means: "send measured utilisation", Roles: []fleet.Role{fleet.Monitor}},
		{Action: Validate, Means: "record the validation of a node", Roles: []fleet.Role{fleet.Monitor, fleet.FleetEngineer}},
		{Action: Maintain, Means: "add updates, start and pause rollouts, announce maintenances, say how visits went", Roles: []fleet.Role{fleet.FleetEngineer}},
		{Action: SetZone, Means: "set no-fly zones: over one's own work or quota, or over part of the fleet", Own: true, Roles: []fleet.Role{fleet.QuotaLead, fleet.FleetEngineer, fleet.Manager}},
		{Action: Build, Means: "add clusters, partitions and islands", Roles: []fleet.Role{fleet.Builder}},
		{Action: SetMode, Means: "set how far Muster acts on a cluster", Roles: []fleet.Role{fleet.Builder}},
		{Action: Report, Means: "report what is on a cluster: its agent alone"},

		{Action: Pass, Means: "send several changes as one; each is judged by its own row", Everybody: true},
		{Action: SetPolicy, Means: "set the policy of the fleet"},
		{Action: Subscribe, Means: "set, end and test webhooks", Roles: []fleet.Role{fleet.Manager}},
		{Action: BindRoles, Means: "grant and revoke roles"},
		{Action: BreakSeal, Means: "become admin for an hour, loudly", Roles: []fleet.Role{fleet.BreakGlass}},
		{Action: ManageToken, Means: "make, rotate and revoke tokens of service accounts"},
		{Action: EndSession, Means: "end sign-ins before their time: one's own everybody may", Own: true},
		{Action: Second, Means: "propose a change to a second person, and approve or decline another's; it takes the right to do it oneself", Everybody: true},
		{Action: ActFor, Means: "act for a user, with that user's rights"},
	}
}

var rules = func() map[Action]Rule {
	m := map[Action]Rule{}
	for _, r := range Table() {
		m[r.Action] = r
	}
	return m
}()

// RuleOf is the row of an action. Without a row it is allowed to admins alone.
func RuleOf(a Action) (r Rule, ok bool) {
	r, ok = rules[a]
	return r, ok
}

// RoleRow is what there is to know of one role beside what it allows.
type RoleRow struct {
	Role  fleet.Role
	For   string // whom it is for
	In    string // the kinds of scope it can be held in: of namespace, quota, cluster, fleet
	Limit fleet.Priority
	Runs  bool // its holders run the fleet, so that bounds on their calls are an operator's
}

// Roles lists the roles, from the least to the most.
func Roles() []RoleRow {
	return []RoleRow{
		{fleet.Viewer, "people who look", "namespace quota cluster fleet", fleet.Low, false},
		{fleet.Researcher, "people and programs who submit work", "namespace fleet", fleet.High, false},
		{fleet.TeamLead, "who answers for a team's work", "namespace fleet", fleet.Critical, false},
		{fleet.QuotaLead, "who answers for a quota and those below it", "quota fleet", fleet.Low, false},
		{fleet.Monitor, "programs that watch a cluster", "cluster fleet", fleet.Low, false},
		{fleet.FleetEngineer, "who keeps nodes well", "cluster fleet", fleet.Low, true},
		{fleet.Manager, "who divides the fleet", "quota fleet", fleet.Low, true},
		{fleet.Builder, "who adds clusters", "cluster fleet", fleet.Low, false},
		{fleet.Auditor, "who checks what was done", "fleet", fleet.Low, false},
		{fleet.Admin, "who may do everything, and binds roles", "fleet", fleet.Critical, true},
		{fleet.BreakGlass, "an admin under seal, for emergencies", "fleet", fleet.Low, false},
	}
}

// RoleOf is the row of a role.
func RoleOf(name fleet.Role) (r RoleRow, ok bool) {
	for _, r := range Roles() {
		if r.Role == name {
			return r, true
		}
	}
	return RoleRow{}, false
}
