package change

import (
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// planCluster enters the record of a cluster that is to be built.
var planCluster = action{
	name: "cluster-plan", title: "Plan a cluster", says: "Enters the record of a cluster. Muster builds it from there, and says at every moment what it waits for. Variables for the pipeline are set with muster cluster change.", button: "Plan it", roles: builders, nav: "buildout",
	fields: []field{
		{name: "name", label: "Name", hint: "lower-case letters, digits and dashes", sample: "lynx", must: true},
		{name: "provider", label: "Provider", choices: []choice{{"", "simulated"}, {"azure", "azure"}, {"hand", "hand: people bring the machines"}}},
		{name: "subscription", label: "Subscription", sample: "research-1", must: true},
		{name: "region", label: "Region", sample: "eastus", must: true},
		{name: "sku", label: "SKU", hint: "of the machines", sample: "not said"},
		{name: "gpu", label: "GPU model", sample: "h200", must: true},
		{name: "islands", label: "Islands", hint: "name:nodes, with spaces between them", sample: "a:16 b:16", must: true},
		{name: "blueprint", label: "Blueprint", hint: "how it is built: muster blueprint list", sample: "nd", must: true},
		{name: "owner", label: "Owner", hint: "who answers for it, and is told", sample: "nobody yet"},
		{name: "priority", label: "Priority", choices: []choice{{"", "mid"}, {"critical", "critical"}, {"high", "high"}, {"low", "low"}}},
		{name: "wanted", label: "Wanted by", sets: "wanted_by", hint: "2027-01-31T00:00:00Z, or 30d from now", sample: "no date"},
	},
	do: func(a *attempt) (*musterv1.Written, error) {
		r := &musterv1.ClusterRecord{
			Name: a.text("name"), Provider: a.text("provider"), Subscription: a.text("subscription"), Region: a.text("region"), Sku: a.text("sku"), Gpu: a.text("gpu"),
			Blueprint: a.text("blueprint"), Owner: a.text("owner"), Priority: a.text("priority"), WantedBy: a.maybeUntil("wanted"), Islands: a.islands("islands"),
		}
		return send(a, a.v.Buildout.PlanCluster, &musterv1.PlanClusterRequest{Write: a.write, Record: r})
	},
	command: func(f values) []string {
		line := flags([]string{"muster", "cluster", "plan", f["name"]}, "--provider", f["provider"], "--subscription", f["subscription"], "--region", f["region"], "--sku", f["sku"], "--gpu", f["gpu"])
		for _, island := range strings.Fields(f["islands"]) {
			line = append(line, "--island", island)
		}
		return flags(line, "--blueprint", f["blueprint"], "--owner", f["owner"], "--priority", f["priority"], "--wanted-by", f["wanted"])
	},
	back: func(f values) string { return "/build-out/" + f["name"] },
}

// islands reads a field of islands, each NAME:NODES.
func (a *attempt) islands(name string) (list []*musterv1.PlannedIsland) {
	for _, one := range strings.Fields(a.values[name]) {
		island, count, _ := strings.Cut(strings.Replace(one, "=", ":", 1), ":") // the command line takes either
		nodes, err := strconv.ParseInt(count, 10, 32)
		if err != nil || nodes < 1 || island == "" {
			a.fault(name, frame.Unfit(one, "an island with its number of nodes", "name:nodes, as in a:16"))
			return nil
		}
		list = append(list, &musterv1.PlannedIsland{Name: island, Nodes: int32(nodes)})
	}
	return list
}
