package fleetfile

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Kind says what a change does.
type Kind string

// The kinds of change. A Conflict is a difference that a file cannot bring
// about: it has no command, and the person who applies the file should be told first.
const (
	Added    Kind = "+"
	Changed  Kind = "~"
	Conflict Kind = "!"
)

// Change is one difference between a fleet and a file.
type Change struct {
	Kind    Kind
	Text    string       // for people
	Line    int          // in the file
	Command core.Command // what brings it about; nil for a conflict
}

func (c Change) String() string { return string(c.Kind) + " " + c.Text }

// Commands are the commands that build a file's fleet where there is none.
func Commands(f File) []core.Command {
	commands, _ := Diff(fleet.NewState(), f)
	return commands
}

// Diff says what differs between a fleet and a file, and which commands bring
// the fleet there. What the file does not name is left alone: clusters,
// islands, nodes, quotas, grants, settings, and the access list of a quota
// that has no access key. A grant that it names becomes just what it says.
func Diff(s *fleet.State, f File) ([]core.Command, []Change) {
	d := &differ{s: s, homes: homes(s)}
	d.policy(f.Policy)
	d.health(f.Health)
	for _, c := range f.Clusters {
		d.cluster(c)
	}
	for _, q := range f.Quotas {
		d.quota(q)
	}
	d.grants(f.Quotas)
	var commands []core.Command
	for _, c := range d.changes {
		if c.Command != nil {
			commands = append(commands, c.Command)
		}
	}
	return commands, d.changes
}

type differ struct {
	s       *fleet.State
	homes   map[string]string // of nodes: partition/island
	changes []Change
}

func homes(s *fleet.State) map[string]string {
	all := map[string]string{}
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			all[n.Name] = p.ID + "/" + p.Islands[n.Island].Name
		}
	}
	return all
}

func (d *differ) add(kind Kind, line int, command core.Command, format string, args ...any) {
	d.changes = append(d.changes, Change{kind, fmt.Sprintf(format, args...), line, command})
}

func (d *differ) policy(p Policy) {
	is, want := d.s.Policy, p.Over(d.s.Policy)
	if want != is {
		d.add(Changed, p.Line, core.SetPolicy{Policy: want}, "policy: %s", words.PolicyChange(is, want))
	}
}

func (d *differ) cluster(c Cluster) {
	if d.s.Cluster(c.Name) == nil {
		d.add(Added, c.Line, core.AddCluster{Name: c.Name}, "cluster %s", c.Name)
	}
	d.targets(c)
	d.buffer(c.Line, c.Name, c.Buffer)
	for _, p := range c.Partitions {
		d.partition(c.Name, p)
	}
}

// targets compares a cluster's own targets, where the file speaks of them.
func (d *differ) targets(c Cluster) {
	if c.Targets == nil {
		return
	}
	var is fleet.Targets
	if has := d.s.Cluster(c.Name); has != nil {
		is = has.Targets
	}
	if is != *c.Targets {
		d.add(Changed, c.Line, core.SetTargets{Cluster: c.Name, Targets: *c.Targets},
			"cluster %s: targets %s → %s", c.Name, ownTargets(is), ownTargets(*c.Targets))
	}
}

func (d *differ) partition(cluster string, p Partition) {
	id := cluster + "/" + p.GPU
	is := d.s.Partition(id)
	switch {
	case is == nil:
		command := core.AddPartition{Cluster: cluster, GPU: p.GPU, GPUsPerNode: p.GPUsPerNode}
		d.add(Added, p.Line, command, "partition %s, %s per node", id, text.Count(p.GPUsPerNode, "GPU"))
	case is.GPUsPerNode != p.GPUsPerNode:
		d.add(Conflict, p.Line, nil, "partition %s has %s per node, the file says %d: that cannot change",
			id, text.Count(is.GPUsPerNode, "GPU"), p.GPUsPerNode)
		return
	}
	d.buffer(p.Line, id, p.Buffer)
	for _, island := range p.Islands {
		d.island(id, is, island, island.names(cluster, p.GPU))
		d.buffer(island.Line, id+"/"+island.Name, island.Buffer)
	}
}

// buffer compares the buffer policy of a cluster, a partition or an island of its own.
func (d *differ) buffer(line int, scope string, want *fleet.Buffer) {
	is, own := d.s.Buffers[scope]
	switch {
	case want == nil || own && is == *want:
	case own:
		d.add(Changed, line, core.SetBuffer{Scope: scope, Buffer: *want}, "buffer of %s: %s → %s", scope, is.InFull(), want.InFull())
	default:
		d.add(Added, line, core.SetBuffer{Scope: scope, Buffer: *want}, "buffer of %s: %s", scope, want.InFull())
	}
}

// island compares an island; names are those it should have.
func (d *differ) island(id string, p *fleet.Partition, i Island, names []string) {
	at, found := 0, false
	if p != nil {
		at, found = p.Island(i.Name)
	}
	if !found {
		d.newIsland(id, i, names)
		return
	}
	is := p.Islands[at]
	if is.Racks != i.Racks {
		d.add(Conflict, i.Line, nil, "island %s/%s has %s, the file says %s: that cannot change", id, i.Name, text.Count(is.Racks, "rack"), text.Group(i.Racks))
	}
	if i.Names != nil {
		d.addNodes(id, i, d.missing(id, i, i.Names), len(is.Nodes()))
		return
	}
	d.resize(id, i, len(is.Nodes()))
}

func (d *differ) newIsland(id string, i Island, names []string) {
	if missing := d.missing(id, i, names); len(missing) < len(names) {
		return // told as a conflict
	}
	command := core.AddIslands{Partition: id, Islands: []core.NewIsland{{Name: i.Name, Nodes: i.Nodes, Names: i.Names, Racks: i.Racks}}}
	if i.Names != nil {
		command.Islands[0].Nodes = 0
	}
	d.add(Added, i.Line, command, "island %s/%s, %s", id, i.Name, words.Count(i.Nodes, "node"))
}

// missing lists the names that the island does not have yet; those that stand
// elsewhere are conflicts.
func (d *differ) missing(id string, i Island, names []string) []string {
	var missing []string
	for _, name := range names {
		switch home := d.homes[name]; home {
		case "":
			missing = append(missing, name)
		case id + "/" + i.Name:
		default:
			d.add(Conflict, i.Line, nil, "node %s is in island %s, the file says %s/%s: nodes do not move", name, home, id, i.Name)
		}
	}
	return missing
}

// resize brings an island whose nodes are counted to its number.
func (d *differ) resize(id string, i Island, has int) {
	if has > i.Nodes {
		d.add(Conflict, i.Line, nil, "island %s/%s has %s, the file says %d: a file takes no nodes away, retire them one by one",
			id, i.Name, words.Count(has, "node"), i.Nodes)
		return
	}
	cluster, gpu, _ := strings.Cut(id, "/")
	var fresh []string
	for n := 1; len(fresh) < i.Nodes-has; n++ {
		if name := NodeName(cluster, gpu, i.Name, n); d.homes[name] == "" {
			fresh = append(fresh, name)
		}
	}
	d.addNodes(id, i, fresh, has)
}

func (d *differ) addNodes(id string, i Island, fresh []string, has int) {
	if len(fresh) == 0 {
		return
	}
	command := core.AddIslands{Partition: id, Islands: []core.NewIsland{{Name: i.Name, Names: fresh, Racks: i.Racks}}}
	d.add(Changed, i.Line, command, "island %s/%s: %d → %s", id, i.Name, has, words.Count(has+len(fresh), "node"))
}

func (d *differ) quota(q Quota) {
	is := d.s.Quota(q.Path)
	switch {
	case is == nil:
		access := fleet.Access{}
		if q.Access != nil {
			access = *q.Access
		}
		d.add(Added, q.Line, core.CreateQuota{Path: q.Path, Access: access, Owner: q.owner()}, "quota %s, %s", q.Path, accessText(access))
	case q.Access != nil && accessText(*q.Access) != accessText(is.Access):
		d.add(Changed, q.Line, core.SetAccess{Path: q.Path, Access: *q.Access}, "quota %s: %s → %s",
			q.Path, accessText(is.Access), accessText(*q.Access))
	}
	if is != nil && q.Owner != nil && *q.Owner != is.Owner {
		d.add(Changed, q.Line, core.SetOwner{Path: q.Path, Owner: *q.Owner}, "quota %s: owner %s → %s", q.Path, nobody(is.Owner), nobody(*q.Owner))
	}
}

func nobody(owner string) string {
	if owner == "" {
		return "nobody"
	}
	return owner
}

func (q Quota) owner() string {
	if q.Owner == nil {
		return ""
	}
	return *q.Owner
}

// grants compares all grants: those that shrink come first, so that what one
// quota gives up can go to another.
func (d *differ) grants(quotas []Quota) {
	for _, growing := range []bool{false, true} {
		for _, q := range quotas {
			for _, g := range q.Grants {
				if g.GPUs > d.granted(q.Path, g.Partition).Grant == growing {
					d.grant(q.Path, g)
				}
			}
		}
	}
}

// granted is a quota's account in a partition as it is once what of it ends has ended: a
// file says what lasts. It is empty where there is none.
func (d *differ) granted(quota, partition string) fleet.Account {
	p := d.s.Partition(partition)
	if p == nil || p.Account(quota) == nil {
		return fleet.Account{}
	}
	is := *p.Account(quota)
	is.Grant = is.Lasting()
	is.Gang, is.Overcommit = is.AfterEnd()
	return is
}

func (d *differ) grant(quota string, g Grant) {
	is := d.granted(quota, g.Partition)
	if is.Grant == g.GPUs && is.Gang == g.Gang {
		return
	}
	kind, text := Changed, fmt.Sprintf("%s → %s", grantText(is.Grant, is.Gang), grantText(g.GPUs, g.Gang))
	if is.Grant == 0 {
		kind, text = Added, grantText(g.GPUs, g.Gang)
	}
	command := core.SetGrant{Quota: quota, Partition: g.Partition, GPUs: g.GPUs, Gang: g.Gang, Overcommit: is.Overcommit && g.GPUs <= is.Grant, AsFound: true}
	d.add(kind, g.Line, command, "grant %s in %s: %s", quota, g.Partition, text)
}
