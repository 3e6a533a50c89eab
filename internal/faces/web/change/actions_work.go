package change

import musterv1 "github.com/muster-fleet/muster/gen/muster/v1"

var jobField = field{name: "job", label: "Workload", sample: "oak/pretrain-1", must: true, fixed: true}

func jobPage(f values) string { return "/workload/" + f["job"] }

// workActions change workloads. Their users may, and operators.
var workActions = []action{
	{
		name: "cancel", title: "Cancel a workload", says: "Takes the workload back. If it runs, it stops, and does not start again.", button: "Cancel the workload", danger: true, nav: "workloads",
		fields: []field{jobField},
		do: func(a *attempt) (*musterv1.Written, error) {
			namespace, name := a.job("job")
			return send(a, a.v.Workloads.Cancel, &musterv1.CancelRequest{Write: a.write, Namespace: namespace, Name: name})
		},
		command: func(f values) []string { return []string{"muster", "job", "cancel", f["job"]} },
		back:    jobPage,
	},
	{
		name: "retarget", title: "Retarget a workload", says: "Gives the workload another target. If it runs, it stops first and waits again; it keeps its age.", button: "Retarget it", nav: "workloads",
		fields: []field{jobField, {name: "target", label: "Target", sample: "a quota, or flex", must: true}, {name: "partition", label: "Partition", sample: "any of the target's"}},
		do: func(a *attempt) (*musterv1.Written, error) {
			namespace, name := a.job("job")
			return send(a, a.v.Workloads.Retarget, &musterv1.RetargetRequest{Write: a.write, Namespace: namespace, Name: name, Target: a.text("target"), Partition: a.text("partition")})
		},
		command: func(f values) []string {
			return flags([]string{"muster", "job", "retarget", f["job"], f["target"]}, "--partition", f["partition"])
		},
		back: jobPage,
	},
	{
		name: "priority", title: "Change a workload's order", says: "Gives the workload another priority. More important work of a quota starts first.", button: "Set the priority", nav: "workloads",
		fields: []field{jobField, {name: "priority", label: "Priority", must: true, choices: []choice{{"critical", "critical"}, {"high", "high"}, {"mid", "mid"}, {"low", "low"}}}},
		do: func(a *attempt) (*musterv1.Written, error) {
			namespace, name := a.job("job")
			return send(a, a.v.Workloads.SetPriority, &musterv1.SetPriorityRequest{Write: a.write, Namespace: namespace, Name: name, Priority: a.text("priority")})
		},
		command: func(f values) []string { return []string{"muster", "job", "priority", f["job"], f["priority"]} },
		back:    jobPage,
	},
}
