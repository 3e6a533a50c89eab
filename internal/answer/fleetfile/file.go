package fleetfile

import (
	"time"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// File is what a fleet file holds. Line numbers stay with it, so that what is
// refused later can still be found.
type File struct {
	Name     string // of the file, for messages
	Policy   Policy
	Health   Health
	Clusters []Cluster
	Quotas   []Quota
}

// Policy is the settings that a file names; nil is what it leaves as it is.
type Policy struct {
	Line                                                int
	Buffer                                              *fleet.Buffer
	Dwell, Probation, StaleAfter, FlexMinimum, MaxGrace *time.Duration
	IdleThreshold                                       *fleet.Permille
	IdleWindow                                          *time.Duration
	SecondPerson, OpenReading                           *bool
	TwoPeople                                           *fleet.TwoPeople
	PolicyTargets
	PolicyMaintenance
}

// PolicyTargets are what the fleet aims at; nil: the file says nothing of it.
type PolicyTargets struct {
	Availability, Uptime *fleet.Permille // targets
	MTTR                 *time.Duration
}

// PolicyMaintenance is how long planned work may take; nil: the file says nothing of it.
type PolicyMaintenance struct {
	Horizon, Lead, Validation, KeepRoom *time.Duration
	ZoneDays                            *int
}

// Cluster is one Kubernetes cluster.
type Cluster struct {
	Line       int
	Name       string
	Targets    *fleet.Targets // nil: the file says nothing about them; zero fields: as the policy has them
	Buffer     *fleet.Buffer  // of its own; nil: the file says nothing about it
	Partitions []Partition
}

// Partition is the nodes of one GPU model in a cluster.
type Partition struct {
	Line        int
	GPU         string
	GPUsPerNode int
	Buffer      *fleet.Buffer // of its own; nil: the file says nothing about it
	Islands     []Island
}

// Island is nodes on one fabric: Nodes of them named by the convention, or
// those in Names.
type Island struct {
	Line  int
	Name  string
	Nodes int      // how many, whether they are named or not
	Names []string // nil: by the convention <cluster>-<gpu>-<island>-NNN
	Racks int

	Buffer *fleet.Buffer // of its own; nil: the file says nothing about it
}

// Quota is a node of the quota tree with its grants.
type Quota struct {
	Line   int
	Path   string
	Grants []Grant
	Access *fleet.Access // nil: the file says nothing about it
	Owner  *string       // nil: the file says nothing about it
}

// Grant is so many GPUs of one partition for a quota.
type Grant struct {
	Line      int
	Partition string
	GPUs      int
	Gang      int // 0: none declared
}

// Options of Parse.
type Options struct {
	// Partitions are those that exist already, with their GPUs per node. Grants
	// may name them beside those of the file. Where it is nil and the file has
	// no clusters either, grants are not checked against partitions here; the
	// core will do it.
	Partitions map[string]int
}

// PartitionsOf lists the partitions of a fleet for Options.
func PartitionsOf(s *fleet.State) map[string]int {
	all := map[string]int{}
	for _, p := range s.Partitions {
		all[p.ID] = p.GPUsPerNode
	}
	return all
}

// Load reads a fleet file from disk. What is wrong in it is Errors; another
// error is the disk's.
func Load(path string, o Options) (File, error) {
	data, err := yamlfile.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	return Parse(path, data, o)
}

// Keys are the keys of a fleet file, for those who embed one.
var Keys = []string{"policy", "health", "clusters", "quotas"}

// Parse reads a fleet file; name is what messages call it. The error is Errors.
func Parse(name string, data []byte, o Options) (File, error) {
	doc, top := yamlfile.Open(name, data)
	f := Read(name, top.Fields(Keys...), o)
	return f, doc.Err()
}

// Read reads the fleet's part of a mapping. What is wrong collects in its document.
func Read(name string, f yamlfile.Fields, o Options) File {
	file := File{Name: name, Policy: ReadPolicy(f.At("policy"), f.At("policy").Fields(PolicyKeys...))}
	file.Health = ReadHealth(f.At("health"))
	file.Clusters = readClusters(f.At("clusters"))
	file.Quotas = readQuotas(f.At("quotas"), file.partitions(o))
	return file
}

// partitions is what grants may name, or nil where that is not known here.
func (f File) partitions(o Options) map[string]int {
	if o.Partitions == nil && f.Clusters == nil {
		return nil
	}
	all := map[string]int{}
	for id, n := range o.Partitions {
		all[id] = n
	}
	for _, c := range f.Clusters {
		for _, p := range c.Partitions {
			all[c.Name+"/"+p.GPU] = p.GPUsPerNode
		}
	}
	return all
}
