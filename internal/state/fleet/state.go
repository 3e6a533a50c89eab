package fleet

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Mode is how far Muster acts on a cluster (semantics §1).
type Mode string

// The modes of a cluster.
const (
	Observe Mode = "observe"
	Shadow  Mode = "shadow"
	Enforce Mode = "enforce"
)

// Cluster is one Kubernetes cluster.
type Cluster struct {
	Name       string  `json:"name"`
	Mode       Mode    `json:"mode"`
	Stale      bool    `json:"stale,omitempty"` // its reports have stopped
	StaleSince Instant `json:"staleSince,omitempty"`
	Heard      Instant `json:"heard,omitempty"`  // when its monitors were last heard; 0: never
	Targets    Targets `json:"targets,omitzero"` // its own; see TargetsOf
}

// KeyUse remembers a command's idempotency key, so that a repeated command is
// answered as the first was, and a key used for another command is refused.
type KeyUse struct {
	Key         string  `json:"key"`
	Fingerprint uint64  `json:"fingerprint"`
	Seq         uint64  `json:"seq"`
	At          Instant `json:"at"`
}

// KeyMemory is how many of the last idempotency keys are remembered, and
// EndedMemory how many ended workloads stay in the state; older ones are in the log.
const (
	KeyMemory   = 65536
	EndedMemory = 20000
)

// State is all that the log has said so far. Only core.ApplyRecord changes it.
type State struct {
	Seq        uint64               `json:"seq"`  // records applied: the version of the state
	Time       Instant              `json:"time"` // moment of the last record
	Policy     Policy               `json:"policy"`
	Buffers    map[string]Buffer    `json:"buffers,omitempty"` // by scope: cluster, partition or partition/island
	Clusters   []*Cluster           `json:"clusters,omitempty"`
	Partitions []*Partition         `json:"partitions,omitempty"` // in order of ID
	Quotas     []*Quota             `json:"quotas,omitempty"`     // in order of path
	Health     *HealthPolicy        `json:"health,omitempty"`     // nil: the default
	Holds      []*Hold              `json:"holds,omitempty"`
	Incidents  []*Incident          `json:"incidents,omitempty"`
	NextHold   uint64               `json:"nextHold,omitempty"`
	Haircuts   []*Haircut           `json:"haircuts,omitempty"` // in the order in which they were saved
	Workloads  map[uint64]*Workload `json:"workloads,omitempty"`
	NextID     uint64               `json:"nextId"`
	Keys       []KeyUse             `json:"keys,omitempty"`  // oldest first
	EndedOrder []uint64             `json:"ended,omitempty"` // oldest first

	Subscriptions []*Subscription `json:"subscriptions,omitempty"` // in order of name
	Requests      []*QuotaRequest `json:"requests,omitempty"`      // in the order in which they were made
	LastRequest   uint64          `json:"lastRequest,omitempty"`   // number of the last one made
	Maintained    *Maintained     `json:"maintained,omitempty"`    // nil: no planned work was ever known

	Bindings []*Binding      `json:"bindings,omitempty"` // in order of subject, role and scope
	Tokens   []*ServiceToken `json:"tokens,omitempty"`   // in order of ID

	SignOffs     []SignOff   `json:"signOffs,omitempty"`     // in order of user and session
	Proposals    []*Proposal `json:"proposals,omitempty"`    // in the order in which they were made
	LastProposal uint64      `json:"lastProposal,omitempty"` // number of the last one made

	Blueprints []*Blueprint    `json:"blueprints,omitempty"` // in order of name, then version
	Lives      []*Life         `json:"lives,omitempty"`      // clusters that are built, in order of name
	LastLife   uint64          `json:"lastLife,omitempty"`   // number of the last record that was entered
	Accounts   []*CloudAccount `json:"accounts,omitempty"`   // cloud subscriptions by region, in order of name

	Acknowledged []Acknowledgement `json:"acknowledged,omitempty"` // warnings that a person has seen, the oldest first

	index
	attention
	building   building
	shared     shared
	alarms     alarms
	rests      restEnds   // of waiting workloads; some are out of date
	heard      Instant    // see Heard
	unlearning bool       // see StopLearning
	excerpt    *excerpt   // see ForkOf; nil: the whole fleet
	spent      []*Account // whose usage changed in the record that is being written
	endsAt     Instant    // no part of a grant ends before, see GrantsEnd; 0: none ends
	trials     *Arena     // of the copies of TryAhead, which are this state's alone; nil: there was none
}

// index finds what a state holds.
type index struct {
	partitions map[string]*Partition
	quotas     map[string]*Quota
	clusters   map[string]*Cluster
	names      map[fullName]*Workload
	keys       map[string]KeyUse
	dirty      map[*Partition]bool
	shapes     map[shapeKey]int
	nowhere    map[uint64]*Workload // that wait, and have no queue to wait in
	alive      []*Workload          // that have not ended, in order of ID
	shaped     int                  // numbers of shapes that a copy took over with its workloads
}

// NewState is the state before the first record.
func NewState() *State {
	s := &State{Policy: DefaultPolicy(), NextID: 1, NextHold: 1}
	s.Rebuild()
	return s
}

// Partition finds a partition by ID (cluster/gpu), or nil.
func (s *State) Partition(id string) *Partition { return s.partitions[id] }

// Quota finds a quota by path, or nil.
func (s *State) Quota(path string) *Quota { return s.quotas[path] }

// Cluster finds a cluster by name, or nil.
func (s *State) Cluster(name string) *Cluster { return s.clusters[name] }

// Workload finds the latest workload of a name in a namespace, or nil.
func (s *State) Workload(namespace, name string) *Workload { return s.names[fullName{namespace, name}] }

// Key finds the use of an idempotency key.
func (s *State) Key(key string) (KeyUse, bool) {
	u, ok := s.keys[key]
	return u, ok
}

// Number is that of the record on its way: the orders it gives are known by it.
func (s *State) Number() uint64 { return s.Seq + 1 }

// fullName is by what people call a workload.
type fullName struct{ namespace, name string }

func (w *Workload) fullName() fullName { return fullName{w.Namespace, w.Name} }

// BufferFor is the buffer policy in force for an island: the closest scope wins.
func (s *State) BufferFor(p *Partition, island int) Buffer {
	if len(s.Buffers) == 0 {
		return s.Policy.Buffer
	}
	for _, scope := range []string{p.ID + "/" + p.Islands[island].Name, p.ID, p.Cluster} {
		if b, ok := s.Buffers[scope]; ok {
			return b
		}
	}
	return s.Policy.Buffer
}

// Held is the GPUs of a partition's free capacity that holds earmark at a moment,
// for a quota and for all.
func (s *State) Held(partition, quota string, now Instant) (own, all int) {
	for _, h := range s.Holds {
		if h.Partition != partition || h.Until <= now || h.Inside() {
			continue
		}
		all += h.GPUs
		if h.Quota == quota {
			own += h.GPUs
		}
	}
	return own, all
}

// AddCluster adds a cluster.
func (s *State) AddCluster(c Cluster) {
	s.Clusters = append(s.Clusters, &c)
	sort.Slice(s.Clusters, func(i, j int) bool { return s.Clusters[i].Name < s.Clusters[j].Name })
	s.clusters[c.Name] = &c
}

// AddPartition adds a partition without nodes.
func (s *State) AddPartition(cluster, gpu string, gpusPerNode int) {
	p := &Partition{ID: cluster + "/" + gpu, Cluster: cluster, GPU: gpu, GPUsPerNode: gpusPerNode}
	s.Partitions = append(s.Partitions, p)
	sort.Slice(s.Partitions, func(i, j int) bool { return s.Partitions[i].ID < s.Partitions[j].ID })
	p.rebuild(s)
	s.partitions[p.ID] = p
	p.requeueTarget(Flex)
}

// AddQuota adds a quota.
func (s *State) AddQuota(q Quota) {
	s.Quotas = append(s.Quotas, &q)
	sort.Slice(s.Quotas, func(i, j int) bool { return s.Quotas[i].Path < s.Quotas[j].Path })
	s.quotas[q.Path] = &q
}

// RemoveQuota removes a quota and its empty accounts.
func (s *State) RemoveQuota(path string) {
	s.Quotas = remove(s.Quotas, func(q *Quota) bool { return q.Path == path })
	delete(s.quotas, path)
	for _, p := range s.Partitions {
		if a := p.accounts[path]; a != nil {
			p.drop(a)
		}
	}
}

func remove[T any](list []T, gone func(T) bool) []T {
	kept := list[:0]
	for _, x := range list {
		if !gone(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Remember keeps an idempotency key, and forgets the oldest beyond KeyMemory.
func (s *State) Remember(u KeyUse) {
	s.Keys = append(s.Keys, u)
	s.keys[u.Key] = u
	if len(s.Keys) > KeyMemory {
		delete(s.keys, s.Keys[0].Key)
		s.Keys = s.Keys[1:]
	}
}

// KeysSince is the moment since which all keys are remembered; 0 while none was forgotten.
func (s *State) KeysSince() Instant {
	if len(s.Keys) < KeyMemory {
		return 0
	}
	return s.Keys[0].At
}

// TakeDirty lists the partitions that changed since it was last asked, in order of ID.
func (s *State) TakeDirty() []*Partition {
	if len(s.dirty) == 0 {
		return nil
	}
	list := make([]*Partition, 0, len(s.dirty))
	for p := range s.dirty {
		list = append(list, p)
	}
	clear(s.dirty)
	slices.SortFunc(list, func(a, b *Partition) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// String names the version, for messages.
func (s *State) String() string { return "version " + strconv.FormatUint(s.Seq, 10) }

// Size is how many nodes and workloads there are: what a copy costs, or a look at everything.
func (s *State) Size() int {
	n := len(s.Workloads)
	for _, p := range s.Partitions {
		n += len(p.Nodes)
	}
	return n
}
