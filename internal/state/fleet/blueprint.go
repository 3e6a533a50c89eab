package fleet

import "time"

// Step is one thing that Muster does, or waits for, to build a cluster (cluster-life.md §1).
type Step string

// The steps of a cluster's life. The first group are operations on the outside, the second is only looked at.
const (
	StepQuota      Step = "quota" // the cloud is asked for more
	StepCheckin    Step = "checkin"
	StepPipeline   Step = "pipeline"
	StepScaleSets  Step = "scaleSets"
	StepJoin       Step = "join"
	StepValidation Step = "validation"
	StepServices   Step = "services"
	StepTeardown   Step = "teardown"

	StepProjects     Step = "projects"
	StepDependencies Step = "dependencies"
	StepHealth       Step = "health"
)

// Steps lists every step in the order of a cluster's life.
func Steps() []Step {
	return []Step{
		StepQuota, StepCheckin, StepPipeline, StepScaleSets, StepJoin, StepValidation, StepServices,
		StepProjects, StepDependencies, StepHealth, StepTeardown,
	}
}

// CheckinWay is how other projects and clusters learn of a new cluster.
type CheckinWay string

// The ways of a check-in.
const (
	CheckinPerson    CheckinWay = "person"    // a person commits the files that Muster shows
	CheckinGit       CheckinWay = "git"       // Muster pushes a branch, a person merges it
	CheckinInventory CheckinWay = "inventory" // nothing is checked in: projects read Muster's inventory
)

// Meter is one cloud quota that nodes use up.
type Meter struct {
	Meter   string `json:"meter"`
	PerNode int    `json:"perNode"` // cores
}

// Blueprint says how clusters of a kind are built. A version never changes once it was added.
type Blueprint struct {
	Name         string                 `json:"name"`
	Version      int                    `json:"version"` // from 1
	Meters       []Meter                `json:"meters"`
	RequestQuota bool                   `json:"requestQuota,omitempty"` // Muster asks the cloud for what is missing
	Checkin      CheckinWay             `json:"checkin"`
	Projects     []string               `json:"projects,omitempty"`
	Services     []string               `json:"services,omitempty"`
	Ready        Permille               `json:"ready"` // of each island's nodes: ready and validated
	Takes        map[Step]time.Duration `json:"takes,omitempty"`
	Parallel     bool                   `json:"parallel,omitempty"` // scale sets need not wait for the pipeline
	Mode         Mode                   `json:"mode"`               // of the cluster once it is in production
	Runner       string                 `json:"runner,omitempty"`   // of the pipeline; "": the provider's own
}

// Wanted is how many of an island's nodes must be ready and validated, rounded up.
func (b *Blueprint) Wanted(nodes int) int { return (nodes*int(b.Ready) + 999) / 1000 }

// ClusterRecord is what is known of a cluster before it exists.
type ClusterRecord struct {
	Name         string            `json:"name"`
	Provider     string            `json:"provider"`
	Subscription string            `json:"subscription"`
	Region       string            `json:"region"`
	SKU          string            `json:"sku,omitempty"`
	GPU          string            `json:"gpu"`
	GPUsPerNode  int               `json:"gpusPerNode"`
	Islands      []RecordIsland    `json:"islands"`
	Owner        string            `json:"owner,omitempty"`
	Priority     Priority          `json:"priority"`
	WantedBy     Instant           `json:"wantedBy,omitempty"` // 0: no date is wanted
	Blueprint    string            `json:"blueprint"`
	Variables    map[string]string `json:"variables,omitempty"` // for the pipeline; secrets are references
}

// RecordIsland is an island that a cluster is to have.
type RecordIsland struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

// Nodes is how many nodes the cluster is to have.
func (r *ClusterRecord) Nodes() (n int) {
	for _, i := range r.Islands {
		n += i.Nodes
	}
	return n
}

// Account names the cloud account that the cluster's cores are counted in.
func (r *ClusterRecord) Account() string { return r.Subscription + "/" + r.Region }

// Partition is the ID of the partition that the cluster will be.
func (r *ClusterRecord) Partition() string { return r.Name + "/" + r.GPU }
