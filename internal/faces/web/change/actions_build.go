package change

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

var (
	builtField = field{name: "cluster", label: "Cluster", sample: "lynx", must: true, fixed: true}
	stepField  = field{name: "step", label: "Step", hint: "pipeline, scaleSets, …", sample: "every step that waits"}
)

func builtPage(f values) string { return "/build-out/" + f["cluster"] }

// steering is a row of what a person does to a cluster's life. A field named with goes along.
func steering(do, title, says, button string, danger bool, more ...field) action {
	return action{
		name: "cluster-" + do, title: title, says: says, button: button, danger: danger, roles: builders, nav: "buildout", fields: append([]field{builtField}, more...),
		do: func(a *attempt) (*musterv1.Written, error) {
			return send(a, a.v.Buildout.SteerCluster, &musterv1.SteerClusterRequest{
				Write: a.write, Cluster: a.text("cluster"), Do: do, Step: a.text("step"), With: a.text("with"),
			})
		},
		command: func(f values) []string {
			if do == "confirm" {
				return []string{"muster", "cluster", "retire", f["cluster"], "--confirm", f["with"]}
			}
			return flags([]string{"muster", "cluster", do, f["cluster"]}, "--step", f["step"], "--commit", f["with"])
		},
		back: builtPage,
	}
}

// buildActions are what people do to clusters that are built.
var buildActions = []action{
	planCluster,
	steering("checkin", "Check a cluster in", "Says that the cluster's files are on the branch that counts.", "It is checked in", false,
		field{name: "with", label: "Commit", hint: "on the branch that counts", sample: "not known"}),
	steering("quota", "Say that a cluster's cores are there", "No cloud counts the cores of this cluster: they are taken as its own. It counts as a touch.", "They are there", false),
	steering("hold", "Hold a cluster", "Nothing new is begun for the cluster until it is let go on.", "Hold it", false),
	steering("go", "Let a cluster go on", "The cluster goes on where it was held.", "Let it go on", false),
	steering("retry", "Retry a step", "The step is tried again now, whatever it waits for. It counts as a touch.", "Retry", false, stepField),
	steering("unblock", "Unblock an operation", "The operation goes on that waits for a person. It counts as a touch.", "Unblock", false, stepField),
	steering("retire", "Retire a cluster", "Nothing new starts there, work ends, and nodes are released. It is refused while quota is assigned there.", "Retire it", true),
	steering("confirm", "Remove a cluster's infrastructure", "The scale sets and all that was built for the cluster go. This cannot be undone.", "Remove it", true,
		field{name: "with", label: "The cluster's name once more", sample: "lynx", must: true}),
}
