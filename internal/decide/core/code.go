package core

// Code is the stable name of a kind of refusal (semantics §7). Programs compare it; the
// message beside it is for people and may change.
type Code string

// The codes of refusals. What each means, and what to do about it, is in Codes.
const (
	AccessDenied Code = "AccessDenied"
	NotOperator  Code = "NotOperator"
	TwoPeople    Code = "TwoPeople"

	NoSuchQuota        Code = "NoSuchQuota"
	NoSuchPartition    Code = "NoSuchPartition"
	NoSuchCluster      Code = "NoSuchCluster"
	NoSuchIsland       Code = "NoSuchIsland"
	NoSuchNode         Code = "NoSuchNode"
	NoSuchWorkload     Code = "NoSuchWorkload"
	NoSuchPool         Code = "NoSuchPool"
	NoSuchIncident     Code = "NoSuchIncident"
	NoSuchHaircut      Code = "NoSuchHaircut"
	NoSuchWave         Code = "NoSuchWave"
	NoSuchRequest      Code = "NoSuchRequest"
	NoSuchHold         Code = "NoSuchHold"
	NoSuchSubscription Code = "NoSuchSubscription"
	NoSuchBinding      Code = "NoSuchBinding"
	NoSuchToken        Code = "NoSuchToken"
	NoSuchProposal     Code = "NoSuchProposal"
	NoSuchBurst        Code = "NoSuchBurst"
	NoSuchUpdate       Code = "NoSuchUpdate"
	NoSuchRollout      Code = "NoSuchRollout"
	NoSuchZone         Code = "NoSuchZone"
	NoSuchNotice       Code = "NoSuchNotice"
	NoSuchBlueprint    Code = "NoSuchBlueprint"
	NoSuchNamespace    Code = "NoSuchNamespace"

	NameTaken Code = "NameTaken"

	Invalid       Code = "Invalid"
	Ambiguous     Code = "Ambiguous"
	ReasonNeeded  Code = "ReasonNeeded"
	TooEarly      Code = "TooEarly"
	KeyReused     Code = "KeyReused"
	KeyExpired    Code = "KeyExpired"
	NotWholeNodes Code = "NotWholeNodes"

	Overpromise      Code = "Overpromise"
	GangTooLarge     Code = "GangTooLarge"
	NotReadyForWave  Code = "NotReadyForWave"
	InUse            Code = "InUse"
	QuotaAssigned    Code = "QuotaAssigned"
	WrongState       Code = "WrongState"
	NothingToDo      Code = "NothingToDo"
	DecidedElsewhere Code = "DecidedElsewhere"

	Unproven   Code = "Unproven"
	NotLeaving Code = "NotLeaving"
	Conflict   Code = "Conflict"

	Stale Code = "Stale"
)

// Class groups the codes by what a program can do about them. The protocol's codes, and
// with them the exit codes of the command line, follow the class.
type Class string

// The classes of codes.
const (
	Denied  Class = "denied"  // the caller may not; others may
	Absent  Class = "absent"  // nothing has that name
	Taken   Class = "taken"   // something has that name already
	Input   Class = "input"   // the command is wrong, whatever the state
	Barred  Class = "barred"  // the state does not allow it
	Changed Class = "changed" // the state has moved on: look again and repeat
)

// CodeRow is one code with its meaning.
type CodeRow struct {
	Code  Code
	Class Class
	Means string // what is wrong
	Do    string // what to do about it
}

// Codes is the list of codes. Each has one meaning; docs/refusals.md is made of it.
func Codes() []CodeRow {
	return []CodeRow{
		{AccessDenied, Denied, "you are not on the quota's access list, or it is not your workload, request or quota", "ask the owner of the quota, or an operator"},
		{NotOperator, Denied, "none of your roles allows this: only operators can do this", "ask an operator for one of the roles that the message names"},
		{TwoPeople, Denied, "the policy asks for two people here, and no person approves their own proposal", "propose it (`--propose`); another person approves it: `muster proposal approve`"},

		{NoSuchQuota, Absent, "no quota has that path", "`muster quota list`"},
		{NoSuchPartition, Absent, "no partition has that name", "`muster capacity`; write CLUSTER/GPU"},
		{NoSuchCluster, Absent, "no cluster has that name", "`muster capacity`"},
		{NoSuchIsland, Absent, "the partition has no island of that name", "`muster free`; write CLUSTER/GPU/ISLAND"},
		{NoSuchNode, Absent, "no node has that name", "`muster node list`"},
		{NoSuchWorkload, Absent, "no workload of the namespace has that name", "`muster job list`; write NAMESPACE/NAME"},
		{NoSuchPool, Absent, "the workload has no pool of that name", "`muster job show`"},
		{NoSuchIncident, Absent, "no open incident has that name", "`muster incident list`"},
		{NoSuchHaircut, Absent, "no saved haircut has that name", "`muster haircut list`"},
		{NoSuchWave, Absent, "the haircut has no wave over that cluster, or of that class", "`muster haircut show NAME`"},
		{NoSuchRequest, Absent, "no request has that number", "`muster quota requests`"},
		{NoSuchHold, Absent, "no hold has that number", "`muster quota show`"},
		{NoSuchSubscription, Absent, "no subscription has that name", "`muster subscription list`"},
		{NoSuchBinding, Absent, "the principal does not have that role in that scope", "`muster role list`"},
		{NoSuchToken, Absent, "no token has that name", "`muster token list`"},
		{NoSuchProposal, Absent, "no proposal has that number", "`muster proposal list`"},
		{NoSuchBurst, Absent, "no burst in the partition has that signature", "`muster health`"},
		{NoSuchUpdate, Absent, "no update has that name", "`muster update list`"},
		{NoSuchRollout, Absent, "no rollout has that name", "`muster rollout list`"},
		{NoSuchZone, Absent, "no no-fly zone has that name", "`muster nfz list`"},
		{NoSuchNotice, Absent, "no announced maintenance has that name", "`muster notice list`"},
		{NoSuchBlueprint, Absent, "no blueprint has that name and version", "`muster blueprint list`"},
		{NoSuchNamespace, Absent, "no workload, quota or role that you may read names that namespace", "`muster job list`"},

		{NameTaken, Taken, "something of that name exists already", "choose another name"},

		{Invalid, Input, "a value of the command is wrong; the message names it and says what would be right", "correct it"},
		{Ambiguous, Input, "a name means several things", "write one of the full names in the message"},
		{ReasonNeeded, Input, "this is done only with a reason", "say why: `--reason`"},
		{KeyReused, Input, "the idempotency key was used for another command", "use a new key"},
		{KeyExpired, Changed, "the idempotency key was made so long ago that it is not known any more whether its command was done", "look whether it was done; if not, repeat it with a new key"},
		{NotWholeNodes, Barred, "the GPUs are not a multiple of what a node has", "round to whole nodes"},

		{Overpromise, Barred, "more would be assigned than can be sustained", "lower another grant, or `--overcommit` with a reason"},
		{GangTooLarge, Barred, "the gang that a grant declares is larger than any island can sustain", "a smaller gang, or `--overcommit` with a reason"},
		{NotReadyForWave, Barred, "the cluster does not meet the readiness list for a wave of a haircut", "`muster cluster ready`"},
		{TooEarly, Barred, "people were told of a later day", "wait for that day, or `--early` with a reason"},
		{InUse, Barred, "something still depends on what would be deleted", "remove what the message names first"},
		{QuotaAssigned, Barred, "quota is still assigned in the cluster that would be retired", "take it back first; the message says whose it is"},
		{WrongState, Barred, "what the command is about is not in a state that allows it", "the message says which state it is in"},
		{NothingToDo, Barred, "what the command asks for is so already", "nothing"},
		{DecidedElsewhere, Barred, "the cluster decides this, not Muster", "change it where the message says"},

		{Unproven, Barred, "a canary of what the rollout brings has failed", "abandon it, and start one without the update that fails"},
		{NotLeaving, Barred, "no visit is planned on the nodes of that work", "nothing"},
		{Conflict, Barred, "another rollout has begun on some of the nodes", "wait until it is done, abandon it, or choose other nodes"},

		{Stale, Changed, "the command was made from a state that has moved on", "look again, and repeat it"},
	}
}

// ClassOf is the class of a code; "" for one that is not in the list.
func ClassOf(code Code) Class {
	for _, r := range Codes() {
		if r.Code == code {
			return r.Class
		}
	}
	return ""
}
