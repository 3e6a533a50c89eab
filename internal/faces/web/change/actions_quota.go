package change

import musterv1 "github.com/muster-fleet/muster/gen/muster/v1"

// Fields that several forms have.
var (
	quotaField     = field{name: "quota", label: "Quota", sample: "research/oak", must: true, fixed: true}
	partitionField = field{name: "partition", label: "Partition", sample: "tiger/h200", must: true}
	proposeField   = field{name: "propose", label: "Propose it", hint: "to a second person, where the policy asks for two", check: true}
	gpusField      = field{name: "gpus", label: "GPUs", sample: "64", must: true}
)

func teamOf(f values) string { return "/team/" + f["quota"] }

// quotaActions change who may count on how many GPUs.
var quotaActions = []action{
	{
		name: "grant", title: "Set a grant", says: "Sets how many GPUs of a partition a quota is granted, in all; or, until a date, how many more; none ends its grant there. More than is sustainable is refused, unless you overcommit.",
		button: "Set the grant", roles: managers, nav: "teams",
		fields: []field{
			quotaField, partitionField,
			{name: "gpus", label: "GPUs", hint: "in all; until a date, how many more; none: the grant ends", sample: "352", must: true},
			{name: "until", label: "Until", hint: "UTC; empty: it lasts", sample: "friday, or 2026-12-04 18:00", example: true},
			{name: "gang", label: "Largest gang", hint: "GPUs that must fit in one island", sample: "as it is"},
			{name: "overcommit", label: "Overcommit", hint: "assign more than is sustainable", check: true},
			proposeField,
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			gpus, none := a.grant("gpus")
			return send(a, a.v.Quotas.SetGrant, &musterv1.SetGrantRequest{
				Write: a.write, Quota: a.text("quota"), Partition: a.text("partition"), Gpus: gpus, None: none, Gang: a.maybe("gang"), Overcommit: a.yes("overcommit"), Until: a.maybeUntil("until"),
			})
		},
		command: func(f values) []string {
			return flags([]string{"muster", "quota", "grant", f["quota"], f["partition"], f["gpus"]}, "--until", f["until"], "--gang", f["gang"], "--overcommit", f["overcommit"], "--propose", f["propose"])
		},
		back: teamOf,
	},
	{
		name: "transfer", title: "Transfer GPUs", says: "Moves part of one quota's grant to another quota's, in one step.", button: "Transfer them", roles: quotaOwners, nav: "teams",
		fields: []field{
			{name: "quota", label: "From", sample: "research/oak", must: true, fixed: true, sets: "from"}, {name: "to", label: "To", sample: "research/elm", must: true}, partitionField, gpusField,
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Quotas.Transfer, &musterv1.TransferRequest{
				Write: a.write, From: a.text("quota"), To: a.text("to"), Partition: a.text("partition"), Gpus: a.number("gpus"),
			})
		},
		command: func(f values) []string {
			return []string{"muster", "quota", "transfer", f["quota"], f["to"], f["partition"], f["gpus"]}
		},
		back: teamOf,
	},
	{
		name: "hold", title: "Hold GPUs", says: "Sets free GPUs aside for a quota until a date; or, for a user or a namespace, a part of the quota itself.", button: "Hold them", roles: quotaOwners, nav: "teams",
		fields: []field{
			quotaField, partitionField, gpusField,
			{name: "until", label: "Until", hint: "UTC", sample: "friday, 7d, or 2026-12-24 18:00", must: true},
			{name: "user", label: "For user", sample: "any user"},
			{name: "namespace", label: "For namespace", sample: "any namespace"},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Quotas.PlaceHold, &musterv1.PlaceHoldRequest{
				Write: a.write, Quota: a.text("quota"), Partition: a.text("partition"), Gpus: a.number("gpus"), Until: a.until("until"), User: a.text("user"), Namespace: a.text("namespace"),
			})
		},
		command: func(f values) []string {
			whom := ""
			if f["user"] != "" {
				whom = "user:" + f["user"]
			} else if f["namespace"] != "" {
				whom = "namespace:" + f["namespace"]
			}
			return flags([]string{"muster", "quota", "hold", f["quota"], f["partition"], f["gpus"]}, "--until", f["until"], "--for", whom)
		},
		back: teamOf,
	},
	{
		name: "release", title: "Release a hold", says: "Gives held GPUs back before the hold ends.", button: "Release it", roles: quotaOwners, nav: "teams",
		fields: []field{quotaField, {name: "id", label: "Number of the hold", sample: "3", must: true, fixed: true}},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Quotas.ReleaseHold, &musterv1.ReleaseHoldRequest{Write: a.write, Id: a.id("id")})
		},
		command: func(f values) []string { return []string{"muster", "quota", "hold", "--release", f["id"]} },
		back:    teamOf,
	},
	{
		name: "request", title: "Request more quota", says: "Asks for more GPUs for a quota. An operator answers; other quotas' owners may offer some of theirs.", button: "Send the request", nav: "teams",
		fields: []field{quotaField, partitionField, {name: "gpus", label: "GPUs more", sample: "64", must: true}, {name: "until", label: "Until", hint: "UTC; empty: for good", sample: "friday, or 2026-12-04 18:00", example: true}},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Requests.Ask, &musterv1.AskRequest{Write: a.write, Quota: a.text("quota"), Partition: a.text("partition"), Gpus: a.number("gpus"), Until: a.maybeUntil("until")})
		},
		command: func(f values) []string {
			return flags([]string{"muster", "quota", "request", f["quota"], f["partition"], f["gpus"]}, "--until", f["until"])
		},
		back: teamOf,
	},
	{
		name: "answer", title: "Answer a request", says: "Grants or declines a request. What is granted is done in the same step.", button: "Answer it", nav: "teams",
		fields: []field{
			quotaField,
			{name: "id", label: "Number of the request", sample: "3", must: true, fixed: true},
			{name: "answer", label: "Answer", must: true, choices: []choice{{"grant", "grant it"}, {"decline", "decline it"}}},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Requests.Answer, &musterv1.AnswerRequest{Write: a.write, Id: a.id("id"), Grant: a.text("answer") == "grant"})
		},
		command: func(f values) []string { return []string{"muster", "quota", "answer", f["id"], f["answer"]} },
		back:    teamOf,
	},
	{
		name: "access", title: "Set who may use a quota", says: "Sets the whole list of who may target a quota. With all lists empty, everybody may; where people sign in, only those who may set the list.", button: "Set the list", roles: quotaOwners, nav: "teams",
		fields: []field{
			{name: "quota", label: "Quota", sample: "research/oak", must: true, fixed: true, sets: "path"}, {name: "users", label: "Users", sample: "ada, ben", example: true}, {name: "groups", label: "Groups", sample: "post", example: true}, {name: "namespaces", label: "Namespaces", sample: "oak", example: true},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Quotas.SetAccess, &musterv1.SetAccessRequest{
				Write: a.write, Path: a.text("quota"), Access: &musterv1.Access{Users: a.list("users"), Groups: a.list("groups"), Namespaces: a.list("namespaces")},
			})
		},
		command: accessCommand,
		back:    teamOf,
	},
}

// accessCommand is the same on the command line, a flag for each name.
func accessCommand(f values) []string {
	command, named := []string{"muster", "quota", "access", f["quota"]}, false
	a := attempt{values: f}
	for _, one := range [][2]string{{"users", "--user"}, {"groups", "--group"}, {"namespaces", "--for-namespace"}} {
		for _, name := range a.list(one[0]) {
			command, named = append(command, one[1], name), true
		}
	}
	if !named {
		command = append(command, "--open")
	}
	return command
}

// flags adds flags with their values to a command; a flag without a value is left out, and one
// that was ticked has none.
func flags(command []string, namesAndValues ...string) []string {
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		switch name, value := namesAndValues[i], namesAndValues[i+1]; value {
		case "":
		case ticked:
			command = append(command, name)
		default:
			command = append(command, name, value)
		}
	}
	return command
}

// ticked is what a box says that was ticked.
const ticked = "yes"
