package core

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Providers lists who can make the machines of a cluster.
func Providers() []string { return []string{"simulated", "azure", fleet.ProviderHand} }

func planCluster(s *fleet.State, r Request, c PlanCluster) ([]event.Event, *Refusal) {
	record, refusal := checkRecord(s, c.Record)
	if refusal != nil {
		return nil, refusal
	}
	switch l := s.Life(record.Name); {
	case l != nil && l.Course.Retired != 0:
		return nil, nameRetired(l)
	case l != nil:
		return nil, refuse(NameTaken, "cluster %q is planned already; `muster cluster show %s` shows it", record.Name, record.Name)
	case s.Cluster(record.Name) != nil:
		return nil, refuse(NameTaken, "cluster %q is in the fleet already; choose another name", record.Name)
	case len(s.Lives) >= MaxClusters:
		return nil, refuse(Invalid, "%s planned; that is the most", text.Counted(len(s.Lives), "cluster is", "clusters are"))
	}
	planned := event.ClusterPlanned{Record: record, Version: s.Blueprint(record.Blueprint, 0).Version, Number: s.LastLife + 1}
	return []event.Event{planned, event.ClusterTouched{Cluster: record.Name, What: "entry", By: r.Actor.Name}}, nil
}

// checkRecord fills in what a record leaves out, and refuses what cannot be.
func checkRecord(s *fleet.State, r fleet.ClusterRecord) (fleet.ClusterRecord, *Refusal) {
	if r.Provider == "" {
		r.Provider = Providers()[0]
	}
	if r.GPUsPerNode == 0 {
		r.GPUsPerNode = 8
	}
	for _, n := range []struct{ what, name string }{
		{"cluster", r.Name}, {"subscription", r.Subscription}, {"region", r.Region}, {"GPU model", r.GPU}, {"blueprint", r.Blueprint},
	} {
		if refusal := checkName(n.what, n.name); refusal != nil {
			return r, refusal
		}
	}
	switch {
	case !slices.Contains(Providers(), r.Provider):
		return r, refuse(Invalid, "cluster %s: provider %q; it is one of %s", r.Name, clip(r.Provider), strings.Join(Providers(), ", "))
	case r.GPUsPerNode < 1 || r.GPUsPerNode > MaxGPUsPerNode:
		return r, refuse(Invalid, "cluster %s: %s per node; a node has 1 to %d", r.Name, text.Count(r.GPUsPerNode, "GPU"), MaxGPUsPerNode)
	case r.Priority < fleet.Critical || r.Priority > fleet.Low:
		return r, refuse(Invalid, "cluster %s: unknown priority %v", r.Name, r.Priority)
	case s.Blueprint(r.Blueprint, 0) == nil:
		return r, refuse(NoSuchBlueprint, "cluster %s: there is no blueprint %q; `muster blueprint list` lists them", r.Name, clip(r.Blueprint))
	}
	if !builtName.MatchString(r.Name) || strings.Contains(r.Name, "..") {
		return r, refuse(Invalid, "cluster %q: a cluster that is built has a name of lower-case letters, digits, dots and dashes, 63 at most: files, branches and certificates bear it", clip(r.Name))
	}
	if refusal := checkTexts("cluster "+r.Name, r.SKU, r.Owner); refusal != nil {
		return r, refusal
	}
	if refusal := checkAccount(s, r); refusal != nil {
		return r, refusal
	}
	if refusal := checkRecordIslands(r); refusal != nil {
		return r, refusal
	}
	return r, checkVariables(r)
}

// checkAccount keeps simulated clusters and real ones apart: an account has one ledger, and
// simulated cores would let a real cluster pass.
func checkAccount(s *fleet.State, r fleet.ClusterRecord) *Refusal {
	simulated := Providers()[0]
	for _, l := range s.LivesOf(r.Account()) {
		if is := &l.Record; is.Name != r.Name && l.Course.Retired == 0 && (is.Provider == simulated) != (r.Provider == simulated) {
			return refuse(Invalid, "cluster %s: %s is an account of provider %s, as cluster %s has it; write that provider, or another subscription", r.Name, r.Account(), is.Provider, is.Name)
		}
	}
	return nil
}

func checkRecordIslands(r fleet.ClusterRecord) *Refusal {
	if len(r.Islands) == 0 || len(r.Islands) > MaxListed {
		return refuse(Invalid, "cluster %s has %s; it has 1 to %d", r.Name, text.Count(len(r.Islands), "island"), MaxListed)
	}
	for _, i := range r.Islands {
		if refusal := checkName("island", i.Name); refusal != nil {
			return refusal
		}
		if i.Nodes < 1 || i.Nodes > MaxNodesPerCommand {
			return refuse(Invalid, "cluster %s: island %s has %s; 1 to %d are possible", r.Name, i.Name, text.Count(i.Nodes, "node"), MaxNodesPerCommand)
		}
	}
	if name, found := twice(r.Islands, func(i fleet.RecordIsland) string { return i.Name }); found {
		return refuse(NameTaken, "cluster %s: island %q is named twice", r.Name, name)
	}
	return nil
}

// builtName is what clusters may be called that are built: a name that an agent can be enrolled for.
var builtName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)

// variableName is what a variable may be called: programs and templates know it by that name.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// ownVariables are those that say what the record says. No variable takes their place: a project
// would build another cluster than was planned, or elsewhere.
var ownVariables = []string{"cluster", "generation", "island", "subscription", "region", "sku", "gpu", "gpus_per_node", "nodes", "islands", "owner"}

// checkVariable refuses a name that is none, or another's.
func checkVariable(cluster, name string) *Refusal {
	switch {
	case !variableName.MatchString(name):
		return refuse(Invalid, "cluster %s: %q is no name of a variable; write letters, digits and underscores, 63 at most, and no digit first", cluster, clip(name))
	case slices.Contains(ownVariables, strings.ToLower(name)):
		return refuse(Invalid, "cluster %s: variable %s is what the record itself says; change the record, or give the variable another name", cluster, name)
	}
	return nil
}

// secretNames are words in the name of a variable whose value is a secret.
var secretNames = []string{"password", "passwd", "secret", "token", "credential", "apikey", "api_key", "private_key", "pwd"}

// secretValue is what only a secret looks like: a private key, a password in an address, and tokens that say whose they are.
var secretValue = regexp.MustCompile(`-----BEGIN |://[^/@\s]*:[^/@\s]+@|\b(gh[pousr]_|github_pat_|glpat-|xox[abp]-|bkua_|hvs\.|eyJ[A-Za-z0-9_-]+\.eyJ)[A-Za-z0-9_-]{8}|\bAKIA[0-9A-Z]{16}\b`)

// references are the ways to say where a secret is.
var references = []string{"env:", "file:", "secret:"}

// checkVariables refuses secrets: a record holds where one is, never what it is (cluster-life.md §3.7).
func checkVariables(r fleet.ClusterRecord) *Refusal {
	if len(r.Variables) > MaxVariables {
		return refuse(Invalid, "cluster %s has %d variables; at most %d are possible", r.Name, len(r.Variables), MaxVariables)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Variables)) {
		if refusal := checkTexts("a variable of cluster "+r.Name, name, r.Variables[name]); refusal != nil {
			return refusal
		}
		if refusal := checkVariable(r.Name, name); refusal != nil {
			return refusal
		}
		isSecret := slices.ContainsFunc(secretNames, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
		isSecret = isSecret || secretValue.MatchString(r.Variables[name])
		isReference := slices.ContainsFunc(references, func(prefix string) bool { return strings.HasPrefix(r.Variables[name], prefix) })
		if isSecret && !isReference {
			return refuse(Invalid, "cluster %s: variable %s looks like a secret; write where it is (env:NAME, file:PATH or secret:NAMESPACE/NAME/KEY), not what it is", r.Name, clip(name))
		}
	}
	return nil
}

func changeCluster(s *fleet.State, c ChangeCluster) ([]event.Event, *Refusal) {
	record, refusal := checkRecord(s, c.Record)
	if refusal != nil {
		return nil, refusal
	}
	l := s.Life(record.Name)
	if l == nil {
		return nil, noLife(record.Name)
	}
	version := c.Version
	if version == 0 && record.Blueprint == l.Record.Blueprint {
		version = l.Version
	}
	b := s.Blueprint(record.Blueprint, version)
	if b == nil {
		return nil, refuse(NoSuchBlueprint, "blueprint %s has no version %d; `muster blueprint list` lists them", record.Blueprint, version)
	}
	if refusal := mayChange(l, record); refusal != nil {
		return nil, refusal
	}
	if reflect.DeepEqual(record, l.Record) && b.Version == l.Version {
		return nil, nil
	}
	e := event.ClusterReplanned{Record: record, Version: b.Version, Generation: l.Generation}
	if needsBuilding(l, record, b.Version) {
		e.Generation++
	}
	return one(e)
}

// needsBuilding says whether a change concerns what stands outside.
func needsBuilding(l *fleet.Life, r fleet.ClusterRecord, version int) bool {
	was := l.Record
	was.Owner, was.Priority, was.WantedBy = r.Owner, r.Priority, r.WantedBy
	return version != l.Version || !reflect.DeepEqual(was, r)
}

// nothingBegun says whether nothing stands outside: what builds machines was not begun, or the outside
// would not have it, as where it knows no such SKU.
func nothingBegun(l *fleet.Life) bool {
	for _, step := range []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets} {
		if s := l.Step(step); s.Begun > 0 || s.Operation.ID != "" && !s.Trouble.Parked {
			return false
		}
	}
	return true
}

// mayChange refuses what cannot change once something stands outside.
func mayChange(l *fleet.Life, r fleet.ClusterRecord) *Refusal {
	if l.Course.Retired != 0 {
		return nameRetired(l)
	}
	if l.Course.Retiring != 0 {
		return refuse(WrongState, "cluster %s is being retired; its record does not change any more", r.Name)
	}
	if l.Step(fleet.StepScaleSets).Operation.ID == "" && len(l.Reserved) == 0 {
		return nil
	}
	w := l.Record
	if w.Provider != r.Provider || w.Account() != r.Account() || w.GPU != r.GPU || w.GPUsPerNode != r.GPUsPerNode || w.SKU != r.SKU && !nothingBegun(l) {
		return refuse(WrongState, "cluster %s has cores reserved or scale sets standing: its provider, subscription, region, SKU and GPUs do not change any more; retire it, and enter another record", r.Name)
	}
	for _, i := range w.Islands {
		at := slices.IndexFunc(r.Islands, func(x fleet.RecordIsland) bool { return x.Name == i.Name })
		if at < 0 || r.Islands[at].Nodes < i.Nodes {
			return losesNodes(l, i.Name)
		}
	}
	return nil
}

// losesNodes refuses fewer nodes once cores are reserved, and says what does it instead.
func losesNodes(l *fleet.Life, island string) *Refusal {
	instead := "retire the cluster, and enter another record"
	if l.Course.Produced != 0 {
		instead = "retire nodes that stand, with `muster node set NODE --state retired`"
	}
	return refuse(WrongState, "cluster %s: island %s would lose nodes; once cores are reserved, a record only gets more. Now %s", l.Record.Name, island, instead)
}

// nameRetired refuses the name of a cluster that is retired: its history stays its own.
func nameRetired(l *fleet.Life) *Refusal {
	return refuse(NameTaken, "cluster %q was retired on %s; its name and history stay its own, so choose another name", l.Record.Name, l.Course.Retired.Time().Format(time.DateOnly))
}

func noLife(name string) *Refusal {
	return refuse(NoSuchCluster, "no cluster %q is planned; `muster cluster list` lists them", clip(name))
}

func checkIn(s *fleet.State, r Request, c CheckIn, now fleet.Instant) ([]event.Event, *Refusal) {
	l := s.Life(c.Cluster)
	if l == nil {
		return nil, noLife(c.Cluster)
	}
	if refusal := checkTexts("the commit", c.Commit); refusal != nil {
		return nil, refusal
	}
	switch b := s.BlueprintOf(l); {
	case l.Course.CheckedIn != 0:
		return nil, nil
	case l.Course.Retiring != 0:
		return nil, refuse(WrongState, "cluster %s is being retired", c.Cluster)
	case b != nil && b.Checkin == fleet.CheckinInventory:
		return nil, refuse(NothingToDo, "cluster %s needs no check-in: projects read the inventory", c.Cluster)
	}
	return []event.Event{
		event.ClusterCheckedIn{Cluster: c.Cluster, By: r.Actor.Name, Commit: c.Commit},
		event.ClusterTouched{Cluster: c.Cluster, What: "checkin", By: r.Actor.Name, Waited: waited(l, fleet.CheckedIn, now)},
	}, nil
}
