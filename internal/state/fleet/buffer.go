package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/text"
)

// BufferKind names a way to decide how many nodes may be promised.
type BufferKind string

// The buffer kinds.
const (
	Fixed      BufferKind = "fixed"
	Calibrated BufferKind = "calibrated"
	Binomial   BufferKind = "binomial"
)

// Buffer is a buffer policy (semantics §2).
type Buffer struct {
	Kind  BufferKind `json:"kind"`
	Share Permille   `json:"share"` // held back by the kinds that do not learn
	// Of the kinds that learn: which share of the promises is to be kept, and the
	// least and the largest share held back.
	Confidence Permille `json:"confidence,omitempty"`
	Floor      Permille `json:"floor,omitempty"`
	Ceiling    Permille `json:"ceiling,omitempty"`
}

// bufferKinds are the kinds of buffer policies, and whether what each allows follows from
// the past. A new one has its row here; the other steps are in CONTRIBUTING.md.
var bufferKinds = []struct {
	kind   BufferKind
	learns bool
}{
	{Fixed, false},
	{Calibrated, true},
	{Binomial, true},
}

// BufferKinds lists the kinds, those that learn behind those that do not.
func BufferKinds() []BufferKind { return append(ShareKinds(), LearningKinds()...) }

// ShareKinds lists the kinds that keep back a share, whatever the past was.
func ShareKinds() []BufferKind { return kindsThat(false) }

// LearningKinds lists the kinds under which what is allowed follows from the past.
func LearningKinds() []BufferKind { return kindsThat(true) }

func kindsThat(learn bool) (list []BufferKind) {
	for _, row := range bufferKinds {
		if row.learns == learn {
			list = append(list, row.kind)
		}
	}
	return list
}

// Learns says whether what the policy allows follows from the past.
func (b Buffer) Learns() bool {
	for _, row := range bufferKinds {
		if row.kind == b.Kind {
			return row.learns
		}
	}
	return false
}

// PolicyWord is a policy as people type it: 15%, calibrated, or KIND:15% of another kind
// that keeps back a share.
func PolicyWord(kind BufferKind, percent float64) string {
	share := strconv.FormatFloat(percent, 'f', -1, 64) + "%"
	switch {
	case kind == Fixed || kind == "":
		return share
	case slices.Contains(ShareKinds(), kind):
		return string(kind) + ":" + share
	}
	return string(kind)
}

// DefaultBuffer is a policy of this kind with the defaults of the contract: confidence
// 99 %, floor 2 % and ceiling 30 % where it learns, and a share of 15 % where it does not.
func DefaultBuffer(kind BufferKind) Buffer {
	if slices.Contains(ShareKinds(), kind) {
		return Buffer{Kind: kind, Share: 150}
	}
	return Buffer{Kind: kind, Confidence: 990, Floor: 20, Ceiling: 300}
}

// BufferSetting is one number of a buffer policy, by its name in files and messages.
type BufferSetting struct {
	Name string
	At   *Permille
}

// Settings are the numbers that a policy of this kind has; the first one stands beside
// the kind where the policy is told in short. A kind that this version does not know has
// those that learn: a newer server's, told by its client.
func (b *Buffer) Settings() []BufferSetting {
	if b.Kind == "" || slices.Contains(ShareKinds(), b.Kind) {
		return []BufferSetting{{"share", &b.Share}}
	}
	return []BufferSetting{{"confidence", &b.Confidence}, {"floor", &b.Floor}, {"ceiling", &b.Ceiling}}
}

// String is the policy in short: fixed 15 %, calibrated 99 %.
func (b Buffer) String() string {
	return string(cmp.Or(b.Kind, Fixed)) + " " + b.Settings()[0].At.Percent()
}

// InFull is the policy with all its numbers: calibrated 99 % (floor 2 %, ceiling 30 %).
func (b Buffer) InFull() string {
	var more []string
	for _, s := range b.Settings()[1:] {
		more = append(more, s.Name+" "+s.At.Percent())
	}
	if len(more) == 0 {
		return b.String()
	}
	return b.String() + " (" + strings.Join(more, ", ") + ")"
}

// Check says what is wrong with the policy and what would be right, or nil.
func (b Buffer) Check() error {
	switch {
	case !slices.Contains(BufferKinds(), b.Kind):
		return fmt.Errorf("buffer kind %q is not known; use %s", b.Kind, text.Or(BufferKinds()))
	case b.Learns():
		return b.checkLearning()
	case b.Share < 0 || b.Share > 1000:
		return fmt.Errorf("buffer share %v is not between 0 and 1", b.Share.Float())
	case b.Confidence != 0 || b.Floor != 0 || b.Ceiling != 0:
		return fmt.Errorf("a %s buffer has a share only; confidence, floor and ceiling belong to %s", b.Kind, text.And(LearningKinds()))
	}
	return nil
}

func (b Buffer) checkLearning() error {
	switch {
	case b.Share != 0:
		return fmt.Errorf("a %s buffer has no share; it has confidence, floor and ceiling", b.Kind)
	case b.Confidence <= 0 || b.Confidence >= 1000:
		return fmt.Errorf("buffer confidence %v is not between 0 and 1, both excluded; 0.99 is usual", b.Confidence.Float())
	case b.Floor < 0 || b.Ceiling > 1000:
		return fmt.Errorf("buffer floor %v and ceiling %v are not between 0 and 1", b.Floor.Float(), b.Ceiling.Float())
	case b.Floor > b.Ceiling:
		return fmt.Errorf("buffer floor %v is above its ceiling %v; the floor is the smaller, as in floor 0.02, ceiling 0.3", b.Floor.Float(), b.Ceiling.Float())
	}
	return nil
}

// Allows is the number of nodes, in thousandths of a node, that a policy that does not
// learn lets out of installed nodes: (1 − buffer) × installed, not yet rounded, so that a
// partition can add its islands before it rounds once.
func (b Buffer) Allows(installed int) int { return installed * (1000 - int(b.Share)) }

// SetBuffer sets the buffer policy of a scope.
func (s *State) SetBuffer(scope string, buffer Buffer) {
	s.Buffers[scope] = buffer
	s.unalignAll()
}

// ClearBuffer takes the buffer policy of a scope away.
func (s *State) ClearBuffer(scope string) {
	delete(s.Buffers, scope)
	s.unalignAll()
}
