package fleet

import "slices"

// Basis says what a haircut brings grants down to (semantics §4).
type Basis string

// The bases of a haircut.
const (
	BasisCluster Basis = "cluster" // cut only what is assigned above sustainable
	BasisQuota   Basis = "quota"   // every grant × (1 − buffer)
)

// CutClass is what a wave of a haircut cuts (semantics §4), in the order of the
// constants.
type CutClass string

// The classes of cuts.
const (
	CutRecords     CutClass = "records"     // what of grants fills no whole node: nothing backs it
	CutUnscheduled CutClass = "unscheduled" // assigned above usage
	CutIdle        CutClass = "idle"        // held by idle jobs
	CutRest        CutClass = "rest"
	CutAll         CutClass = "" // every class in one wave, as in plans of earlier versions
)

// Says is the class in words.
func (c CutClass) Says() string {
	switch c {
	case CutRecords:
		return "what fills no whole node"
	case CutUnscheduled:
		return "assigned above usage"
	case CutIdle:
		return "held by idle jobs"
	case CutRest:
		return "the rest"
	case CutAll:
	}
	return "all classes"
}

// Haircut is a saved plan that brings assigned down to sustainable, in waves: by
// class over all clusters, inside a class one wave for each cluster. All figures
// are GPUs.
type Haircut struct {
	Name    string  `json:"name"`
	Scope   string  `json:"scope,omitempty"` // a partition, a cluster, or "" for the fleet
	Basis   Basis   `json:"basis"`
	Buffer  *Buffer `json:"buffer,omitempty"` // the policy it was made under; nil: the one in force
	Version uint64  `json:"version"`          // of the state it was made from
	Made    Instant `json:"made"`
	By      string  `json:"by"`
	ByUser  string  `json:"byUser,omitempty"`
	Reason  string  `json:"reason,omitempty"` // why it was planned, as people are told
	// Effective is the day from which waves take effect, as people are told; 0: none was named.
	Effective Instant `json:"effective,omitempty"`

	Reviewed   Instant `json:"reviewed,omitempty"`
	ReviewedBy string  `json:"reviewedBy,omitempty"`

	Waves []Wave    `json:"waves,omitempty"` // in the order in which they are to be applied
	Fit   []CutPart `json:"fit,omitempty"`   // partitions that need no cut
}

// Wave is what a haircut cuts of one class in one cluster, in one step. Its parts
// show their partitions as the earlier waves of the cluster leave them.
type Wave struct {
	Cluster  string    `json:"cluster"`
	Class    CutClass  `json:"class,omitempty"`
	Headroom int       `json:"headroom"` // healthy − assigned, per thousand of installed: the order of waves inside a class
	Parts    []CutPart `json:"parts"`

	Told    Instant `json:"told,omitempty"` // when the people concerned were told
	ToldBy  string  `json:"toldBy,omitempty"`
	Applied Instant `json:"applied,omitempty"`
	Undone  Instant `json:"undone,omitempty"`
	// Backing is what backed the quotas just before the wave was applied, so that
	// undoing it can give them back the same islands.
	Backing []PartitionBack `json:"backing,omitempty"`
}

// PartitionBack is the backing of all quotas of a partition at one moment.
type PartitionBack struct {
	Partition  string           `json:"partition"`
	Promisable int              `json:"promisable"`         // nodes
	Assigned   int              `json:"assigned,omitempty"` // GPUs, with those that are held; 0: from a version that did not note it
	Regranted  bool             `json:"regranted,omitempty"`
	Nodes      map[string][]int `json:"nodes"`   // by quota, per island
	Touched    map[string][]int `json:"touched"` // nodes that the quota's work touched, per island
	Gangs      map[string]Gang  `json:"gangs,omitempty"`
}

// CutPart is what a haircut finds, and cuts, in one partition.
type CutPart struct {
	Partition   string `json:"partition"`
	Installed   int    `json:"installed"`
	Healthy     int    `json:"healthy"`
	Assigned    int    `json:"assigned"`
	Sustainable int    `json:"sustainable"`
	Excess      int    `json:"excess,omitempty"`      // assigned above sustainable
	Unallocated int    `json:"unallocated,omitempty"` // sustainable above assigned
	// Records is the first class: what of the kept-back GPUs (installed −
	// sustainable) is granted to no quota, so that the records say it and no quota loses.
	Records   int        `json:"records,omitempty"`
	Causes    []CutCause `json:"causes,omitempty"` // of the excess; they sum to it
	Incidents []string   `json:"incidents,omitempty"`
	Cuts      []Cut      `json:"cuts,omitempty"`   // in order of quota
	Left      int        `json:"left,omitempty"`   // excess that stays after this wave
	Spared    []Cut      `json:"spared,omitempty"` // quotas that were asked, and keep all they have

	// Known is the work that ran unprotected already when the plan was made.
	Known []Touched `json:"known,omitempty"`
	// What trying the cut on a copy of the fleet showed.
	Unprotected []Touched `json:"unprotected,omitempty"` // running work that would become unprotected
	Evicted     []Touched `json:"evicted,omitempty"`     // running work that would have to leave
	Requeued    []Touched `json:"requeued,omitempty"`    // work that is starting, and would lose its reserved room
	Starts      []Touched `json:"starts,omitempty"`      // waiting work that would start
	Flex        int       `json:"flex"`                  // as it is now
	FlexAfter   int       `json:"flexAfter"`
	Firm        int       `json:"firm"` // flex that no quota's unscheduled backing can call back
	FirmAfter   int       `json:"firmAfter"`
}

// Touches is all work that trying the cut showed to lose something by it.
func (p *CutPart) Touches() []Touched { return slices.Concat(p.Unprotected, p.Evicted, p.Requeued) }

// CutCause is one reason why more is assigned than is sustainable.
type CutCause struct {
	Cause string `json:"cause"`
	GPUs  int    `json:"gpus"`
}

// Touched is a workload that a haircut touches, and how many of its GPUs.
type Touched struct {
	Workload string `json:"workload"` // namespace/name
	Quota    string `json:"quota"`
	Owner    string `json:"owner,omitempty"` // who answers for the quota
	GPUs     int    `json:"gpus"`
}

// Cut is what one quota gives up in one partition, by class.
type Cut struct {
	Quota       string `json:"quota"`
	Owner       string `json:"owner,omitempty"`
	Was         int    `json:"was"` // grant
	Now         int    `json:"now"`
	Usage       int    `json:"usage"`
	Idle        int    `json:"idle,omitempty"`        // of usage
	Highest     int    `json:"highest"`               // highest use of the last 90 days
	Fraction    int    `json:"cutFraction,omitempty"` // what fills no whole node: nothing ever backed it
	Unscheduled int    `json:"cutUnscheduled,omitempty"`
	IdleCut     int    `json:"cutIdle,omitempty"`
	Rest        int    `json:"cutRest,omitempty"`
	Gang        int    `json:"gang,omitempty"`    // as declared now
	GangNow     int    `json:"gangNow,omitempty"` // and after: smaller only where the cut goes below it
	Overcommit  bool   `json:"overcommit,omitempty"`
	// Temporary is what of the grant ended by itself when the plan was made. It is cut first.
	Temporary *Temporary `json:"temporary,omitempty"`
	// Asked is the quota's part of what is to be cut in the partition, in proportion to its
	// grant; Why says why the plan cuts something else.
	Asked int    `json:"asked,omitempty"`
	Why   CutWhy `json:"why,omitempty"`
}

// CutWhy says why a quota is cut by more or less than its part in proportion to its grant.
type CutWhy string

// Why a cut differs from what was asked.
const (
	CutWholeNodes CutWhy = "whole-nodes" // grants are cut in whole nodes
	CutGangKept   CutWhy = "gang-kept"   // less: what is left is its declared gang
	CutInUse      CutWhy = "in-use"      // less: more of it is in use than of others
	CutUnused     CutWhy = "unused"      // more: less of it is in use than of others
	CutForOthers  CutWhy = "for-others"  // more: others keep their gangs
)

// Says is the cause in words; "" where the cut is what was asked.
func (w CutWhy) Says() string {
	switch w {
	case CutWholeNodes:
		return "nodes are cut whole"
	case CutGangKept:
		return "its gang is kept"
	case CutInUse:
		return "more of it is in use than of others"
	case CutUnused:
		return "more of it is unused than of others"
	case CutForOthers:
		return "others keep their gangs"
	}
	return ""
}

// TemporaryCut is the GPUs that the cut takes from the part of the grant that ends.
func (c Cut) TemporaryCut() int {
	if c.Temporary == nil {
		return 0
	}
	return min(c.Temporary.GPUs, c.GPUs())
}

// Ends is what of the grant ends by itself once it is cut.
func (c Cut) Ends() Temporary {
	if c.Temporary == nil || c.Temporary.GPUs <= c.GPUs() {
		return Temporary{}
	}
	t := *c.Temporary
	t.GPUs -= c.GPUs()
	t.Gang = min(t.Gang, c.GangNow)
	return t
}

// GPUs is what the quota gives up in all.
func (c Cut) GPUs() int { return c.Was - c.Now }

// BelowGang says whether the grant falls below the gang that it declares.
func (c Cut) BelowGang() bool { return c.Now < c.Gang }

// Done says whether the wave is in force.
func (w *Wave) Done() bool { return w.Applied != 0 && w.Undone == 0 }

// Wave finds the index of a cluster's wave of a class, or −1.
func (h *Haircut) Wave(cluster string, class CutClass) int {
	return slices.IndexFunc(h.Waves, func(w Wave) bool { return w.Cluster == cluster && w.Class == class })
}

// WavesOf are the indexes of a cluster's waves, in their order.
func (h *Haircut) WavesOf(cluster string) []int {
	var list []int
	for i := range h.Waves {
		if h.Waves[i].Cluster == cluster {
			list = append(list, i)
		}
	}
	return list
}

// Haircut finds a saved haircut by name, or nil.
func (s *State) Haircut(name string) *Haircut {
	for _, h := range s.Haircuts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// cloneHaircuts copies what may change of haircuts; their parts never do.
func cloneHaircuts(list []*Haircut) []*Haircut {
	copied := clonePointers(list)
	for _, h := range copied {
		h.own()
	}
	return copied
}

// own gives a haircut waves that it shares with none: they change as they are told, answered and put into force.
func (h *Haircut) own() { h.Waves = slices.Clone(h.Waves) }

// HaircutMemory is how many saved haircuts stay in the state; older ones are in the log.
const HaircutMemory = 100

// AddHaircut keeps a plan; the oldest makes room beyond HaircutMemory.
func (s *State) AddHaircut(h Haircut) {
	h.own()
	s.Haircuts = append(s.Haircuts, &h)
	if len(s.Haircuts) > HaircutMemory {
		s.Haircuts = slices.Delete(s.Haircuts, 0, 1)
	}
}

// RemoveHaircut forgets a plan.
func (s *State) RemoveHaircut(name string) {
	s.Haircuts = slices.DeleteFunc(s.Haircuts, func(h *Haircut) bool { return h.Name == name })
}

// SetMode sets how far Muster acts on a cluster; what waits there is looked at anew.
func (s *State) SetMode(cluster string, mode Mode) {
	s.Cluster(cluster).Mode = mode
	for _, p := range s.Partitions {
		if p.Cluster == cluster {
			p.Unalign()
			p.Freed()
		}
	}
}

// Gang says what a declared gang lacks, and where.
type Gang struct {
	Missing int    `json:"missing"` // GPUs
	Island  string `json:"island"`
}
