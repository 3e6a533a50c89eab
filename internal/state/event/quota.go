package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// QuotaCreated says: a quota exists.
type QuotaCreated struct {
	Quota  string       `json:"quota"`
	Access fleet.Access `json:"access"`
	Owner  string       `json:"owner,omitempty"` // who answers for it
}

// QuotaDeleted says: a quota without grants and work is gone.
type QuotaDeleted struct {
	Quota string `json:"quota"`
}

// QuotaOwned says: this person or team answers for a quota; "": none is named.
type QuotaOwned struct {
	Quota string `json:"quota"`
	Owner string `json:"owner"`
	Was   string `json:"was,omitempty"`
}

// AccessSet says: who may target a quota is now this.
type AccessSet struct {
	Quota  string       `json:"quota"`
	Access fleet.Access `json:"access"`
}

// GrantSet says: a quota's grant in a partition is now this many GPUs, those that end
// included. Was is what it was, so that a line of history can be read by itself. Since
// version 2 it says what of it ends: an older Muster would keep it for ever. Since version 3 it may end the grant: New says
// that there was none before, and None that there is none any more, not even one of 0 GPUs with which to borrow.
type GrantSet struct {
	Quota      string `json:"quota"`
	Partition  string `json:"partition"`
	GPUs       int    `json:"gpus"`
	Gang       int    `json:"gang,omitempty"`
	Was        int    `json:"was"`
	Overcommit bool   `json:"overcommit,omitempty"`
	// Temporary is what of the grant ends by itself; WasTemporary what did before.
	Temporary    fleet.Temporary `json:"temporary,omitzero"`
	WasTemporary fleet.Temporary `json:"wasTemporary,omitzero"`
	New          bool            `json:"new,omitempty"`
	None         bool            `json:"none,omitempty"`
}

// GrantEnding says: the part of a grant that ends will end soon. Its people are told, with
// the work that would be unprotected were it to end now.
type GrantEnding struct {
	Quota     string          `json:"quota"`
	Partition string          `json:"partition"`
	GPUs      int             `json:"gpus"`
	Until     fleet.Instant   `json:"until"`
	Work      []fleet.Touched `json:"work,omitempty"`
}

// GrantEnded says: the part of a grant that was to end has ended; GPUs is what of the grant
// is left, and Ended what has ended.
type GrantEnded struct {
	Quota      string          `json:"quota"`
	Partition  string          `json:"partition"`
	GPUs       int             `json:"gpus"`
	Gang       int             `json:"gang,omitempty"`
	Overcommit bool            `json:"overcommit,omitempty"`
	Ended      fleet.Temporary `json:"ended"`
}

// GrantTransferred says: GPUs moved from one quota's grant to another's.
type GrantTransferred struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Partition string `json:"partition"`
	GPUs      int    `json:"gpus"`
}

// HoldPlaced says: free capacity is earmarked for a quota until a moment, or
// (since version 2) part of the quota for a user or a namespace. In version 1 the
// hold had neither; an older Muster must not take the one for the other.
type HoldPlaced struct {
	Hold fleet.Hold `json:"hold"`
}

// HoldEnded says: a hold is over or smaller: Left GPUs remain (0: it is gone).
type HoldEnded struct {
	ID   uint64 `json:"id"`
	Left int    `json:"left,omitempty"`
	Why  string `json:"why"` // used, expired or released
}

// BackingAligned says: what a partition can promise, or what backs its quotas, has
// changed. It carries only what is different.
type BackingAligned struct {
	Partition  string `json:"partition"`
	Promisable int    `json:"promisable"` // nodes
	Shares     []int  `json:"shares"`     // own share of each island, in nodes
	// Unsustained is how many nodes sustainable is below promisable; events from before
	// there were policies that learn have none.
	Unsustained int          `json:"unsustained,omitempty"`
	Backing     []Backed     `json:"backing,omitempty"`
	Gangs       []GangStatus `json:"gangs,omitempty"`
	// Trimmed: reports are stale, so only what grants do not cover any more was taken;
	// that grants have changed is still to be looked at.
	Trimmed bool `json:"trimmed,omitempty"`
	// Regranted: that grants have changed is to be looked at anew, as it was before a
	// haircut that is undone.
	Regranted bool `json:"regranted,omitempty"`
}

// Backed says: this many nodes of an island now back a quota.
type Backed struct {
	Quota  string `json:"quota"`
	Island string `json:"island"`
	Nodes  int    `json:"nodes"`
}

// GangStatus says: a declared gang lacks Missing GPUs in its best island (0: it is backed).
type GangStatus struct {
	Quota   string `json:"quota"`
	Missing int    `json:"missing"`
	Island  string `json:"island,omitempty"`
}

func (QuotaCreated) Kind() string     { return "quota.created" }     // Kind is the event's stable name.
func (QuotaDeleted) Kind() string     { return "quota.deleted" }     // Kind is the event's stable name.
func (QuotaOwned) Kind() string       { return "quota.owned" }       // Kind is the event's stable name.
func (AccessSet) Kind() string        { return "access.set" }        // Kind is the event's stable name.
func (GrantSet) Kind() string         { return "grant.set" }         // Kind is the event's stable name.
func (GrantEnding) Kind() string      { return "grant.ending" }      // Kind is the event's stable name.
func (GrantEnded) Kind() string       { return "grant.ended" }       // Kind is the event's stable name.
func (GrantTransferred) Kind() string { return "grant.transferred" } // Kind is the event's stable name.
func (HoldPlaced) Kind() string       { return "hold.placed" }       // Kind is the event's stable name.
func (HoldEnded) Kind() string        { return "hold.ended" }        // Kind is the event's stable name.
func (BackingAligned) Kind() string   { return "backing.aligned" }   // Kind is the event's stable name.
