package reason

// Code is the stable name of a reason.
type Code string

// The codes, in the order of the rows.
const (
	NoSuchPartition  Code = "NoSuchPartition"
	ClusterNotReady  Code = "ClusterNotReady"
	GangTooLarge     Code = "GangTooLarge"
	Held             Code = "Held"
	Behind           Code = "Behind"
	MaintenanceAhead Code = "MaintenanceAhead" // it would start were it not for nodes that planned work takes
	DoesNotFit       Code = "DoesNotFit"       // it would start, but nodes with GPUs for it have too little of something else
	QuotaUnbacked    Code = "QuotaUnbacked"
	TreeFull         Code = "TreeFull"
	QuotaFull        Code = "QuotaFull"
	Fragmented       Code = "Fragmented"
	Evicting         Code = "Evicting"
	FlexShare        Code = "FlexShare"
	FlexFull         Code = "FlexFull"
	Resting          Code = "Resting" // it would start, but was evicted too often within an hour
)

// Class says who can do something about a reason.
type Class string

// The classes of reasons.
const (
	Wait   Class = "wait"   // time will do
	Change Class = "change" // the submitter can
	Ask    Class = "ask"    // others can: see OwnerHelps
	Fault  Class = "fault"  // something is broken
)

// Part is the part of all waiting time that a reason counts for: what would have to change to
// recover it.
type Part string

// The parts of all waiting.
const (
	Unbacked Part = "unbacked" // the grant would do, its backing does not
	Quota    Part = "quota"    // there is no more quota, or share of flex
	Shape    Part = "shape"    // enough GPUs, not in one piece
	Broken   Part = "fault"    // something is broken, or was never there
	Moment   Part = "moment"   // its room is being made
)

// Parts lists the parts in the order in which they are shown.
func Parts() []Part { return []Part{Unbacked, Quota, Shape, Broken, Moment} }

// Row is what is known of a reason, wherever it holds.
type Row struct {
	Code  Code
	Class Class
	Part  Part
}

// rows are all reasons, in the order of the contract's table (semantics §7). In which order
// a workload's blockers are listed depends on its queue: answer/explain makes that.
var rows = []Row{
	{NoSuchPartition, Change, Quota},
	{ClusterNotReady, Fault, Broken},
	{GangTooLarge, Change, Shape},
	{Held, Ask, Quota},
	{Behind, Wait, Moment},
	{MaintenanceAhead, Wait, Unbacked},
	{DoesNotFit, Wait, Shape},
	{QuotaUnbacked, Ask, Unbacked},
	{TreeFull, Wait, Quota},
	{QuotaFull, Wait, Quota},
	{Fragmented, Wait, Shape},
	{Evicting, Wait, Moment},
	{FlexShare, Wait, Quota},
	{FlexFull, Wait, Quota},
	{Resting, Wait, Moment},
}

// Rows lists all reasons.
func Rows() []Row { return rows }

// Of is the row of a code. It panics where there is none: a code without a class or a
// part is a mistake of ours.
func Of(code Code) Row {
	row, ok := Find(string(code))
	if !ok {
		panic("reason: " + string(code) + " has no row")
	}
	return row
}

// Find is the row of a code that comes from elsewhere, as from a server of a later version.
func Find(code string) (Row, bool) {
	for _, r := range rows {
		if string(r.Code) == code {
			return r, true
		}
	}
	return Row{}, false
}
