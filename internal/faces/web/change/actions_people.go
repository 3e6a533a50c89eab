package change

import musterv1 "github.com/muster-fleet/muster/gen/muster/v1"

var proposalField = field{name: "id", label: "Number of the proposal", sample: "3", must: true, fixed: true}

// peopleActions are about people who sign in, and about what takes two of them.
var peopleActions = []action{
	answered("approve", "Approve a proposal", "Does what another person proposed, at once. It takes the right to do it oneself, and no person approves their own.", true),
	answered("decline", "Decline a proposal", "What another person proposed is not done.", false),
	{
		name: "end-sign-ins", title: "End a person's sign-ins", says: "The pages and the command line ask the person to sign in again, on all servers. Who is still known where people sign in can come back.",
		button: "End them", danger: true, nav: "events",
		fields: []field{
			{name: "user", label: "User", sample: "ada@example.com", must: true, fixed: true},
			{name: "session", label: "Sign-in", sets: "id", hint: "as muster session list shows it", sample: "all of them"},
		},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Access.EndSessions, &musterv1.EndSessionsRequest{Write: a.write, User: a.text("user"), Id: a.text("session")})
		},
		command: func(f values) []string {
			return flags([]string{"muster", "session", "end", f["user"]}, "--session", f["session"])
		},
		back: func(values) string { return "/sessions" },
	},
}

// answered is the answer of a second person.
func answered(name, title, says string, approve bool) action {
	return action{
		name: name, title: title, says: says, button: title, danger: approve, roles: runsTheFleet, nav: "events", fields: []field{proposalField},
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Access.AnswerProposal, &musterv1.AnswerProposalRequest{Write: a.write, Id: a.id("id"), Approve: approve})
		},
		command: func(f values) []string { return []string{"muster", "proposal", name, f["id"]} },
		back:    toEvents,
	}
}

func toEvents(values) string { return "/events" }
