package client

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The codes of refusals; docs/refusals.md says what each means and what to do about it.
const (
	AccessDenied       = "AccessDenied"
	NotOperator        = "NotOperator"
	TwoPeople          = "TwoPeople"
	NoSuchProposal     = "NoSuchProposal"
	NoSuchQuota        = "NoSuchQuota"
	NoSuchPartition    = "NoSuchPartition"
	NoSuchCluster      = "NoSuchCluster"
	NoSuchIsland       = "NoSuchIsland"
	NoSuchNode         = "NoSuchNode"
	NoSuchWorkload     = "NoSuchWorkload"
	NoSuchPool         = "NoSuchPool"
	NoSuchIncident     = "NoSuchIncident"
	NoSuchHaircut      = "NoSuchHaircut"
	NoSuchWave         = "NoSuchWave"
	NoSuchRequest      = "NoSuchRequest"
	NoSuchHold         = "NoSuchHold"
	NoSuchSubscription = "NoSuchSubscription"
	NoSuchBurst        = "NoSuchBurst"
	NoSuchBinding      = "NoSuchBinding"
	NoSuchToken        = "NoSuchToken"
	NoSuchUpdate       = "NoSuchUpdate"
	NoSuchRollout      = "NoSuchRollout"
	NoSuchZone         = "NoSuchZone"
	NoSuchNotice       = "NoSuchNotice"
	Unproven           = "Unproven"
	NotLeaving         = "NotLeaving"
	Conflict           = "Conflict"
	NoSuchBlueprint    = "NoSuchBlueprint"
	NoSuchNamespace    = "NoSuchNamespace"
	QuotaAssigned      = "QuotaAssigned"
	NameTaken          = "NameTaken"
	Invalid            = "Invalid"
	Ambiguous          = "Ambiguous"
	ReasonNeeded       = "ReasonNeeded"
	TooEarly           = "TooEarly"
	KeyReused          = "KeyReused"
	KeyExpired         = "KeyExpired"
	NotWholeNodes      = "NotWholeNodes"
	Overpromise        = "Overpromise"
	GangTooLarge       = "GangTooLarge"
	NotReadyForWave    = "NotReadyForWave"
	InUse              = "InUse"
	WrongState         = "WrongState"
	NothingToDo        = "NothingToDo"
	DecidedElsewhere   = "DecidedElsewhere"
	Stale              = "Stale"
)

// Refusal is the domain's no: the command changed nothing.
type Refusal struct {
	Code    string // one of the codes above
	Message string // what is wrong, and what would be right
	Figures map[string]int64
	Fields  []*musterv1.FieldViolation // what is wrong with the input, place by place

	cause *connect.Error
}

// Error is the refusal as one line: its code, message and figures.
func (r *Refusal) Error() string {
	if len(r.Figures) == 0 {
		return fmt.Sprintf("%s: %s", r.Code, r.Message)
	}
	names := make([]string, 0, len(r.Figures))
	for name := range r.Figures {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, r.Figures[name])
	}
	return fmt.Sprintf("%s: %s (%s)", r.Code, r.Message, strings.Join(names, ", "))
}

// Unwrap is the error of the protocol, with its own code and details.
func (r *Refusal) Unwrap() error { return r.cause }

// Unreachable says that no server answered.
type Unreachable struct {
	Address string
	cause   error
}

// Error names the address and what to do.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("no Muster server answers at %s (%v); start one with `muster up`, or check the address", u.Address, u.cause)
}

// Unwrap is what happened on the network.
func (u *Unreachable) Unwrap() error { return u.cause }

// Refused says whether an error is a refusal with this code.
func Refused(err error, code string) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Code == code
}

// NotAllowed says whether the server would not let the caller do this: the caller
// is unknown to it, or may not.
func NotAllowed(err error) bool {
	code := connect.CodeOf(err) // without a refusal, a proxy on the way has said it
	return Refused(err, AccessDenied) || Refused(err, NotOperator) || code == connect.CodeUnauthenticated || code == connect.CodePermissionDenied
}

// plain turns what the protocol says into the errors of this package.
func (c *courier) plain(err error) error {
	var e *connect.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, d := range e.Details() {
		value, bad := d.Value()
		if r, ok := value.(*musterv1.Refusal); bad == nil && ok {
			return &Refusal{r.GetCode(), r.GetMessage(), r.GetFigures(), r.GetFields(), e}
		}
	}
	if wrong := misread(c.address, err); wrong != nil {
		return wrong
	}
	if !connect.IsWireError(err) && e.Code() == connect.CodeUnavailable {
		return &Unreachable{c.address, e.Unwrap()}
	}
	return err
}
