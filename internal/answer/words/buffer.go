package words

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// bufferMeans says of each kind of buffer policy what it keeps back.
var bufferMeans = map[fleet.BufferKind]string{
	fleet.Fixed:      "a share is kept back",
	fleet.Calibrated: "as much as the past asks for",
	fleet.Binomial:   "as much as independent failures ask for",
}

// BufferKind is a kind of buffer policy, as people choose it.
type BufferKind struct {
	Name   string
	Means  string // what it keeps back
	Learns bool   // it has a confidence, a floor and a ceiling; else a share
}

// BufferKinds lists the kinds that a policy may have, those that learn last.
func BufferKinds() (list []BufferKind) {
	for _, kind := range fleet.BufferKinds() {
		list = append(list, BufferKind{string(kind), bufferMeans[kind], fleet.Buffer{Kind: kind}.Learns()})
	}
	return list
}

// BufferLearns says whether what policies of a kind allow follows from the past. One that
// this version does not know is taken to: then it is told by what its message has.
func BufferLearns(kind string) bool {
	b := fleet.Buffer{Kind: fleet.BufferKind(kind)}
	return b.Settings()[0].Name != "share"
}

// PolicyWord is a policy as people type it: 15%, calibrated, or KIND:15% of another kind
// that keeps back a share.
func PolicyWord(kind string, percent float64) string {
	return fleet.PolicyWord(fleet.BufferKind(kind), percent)
}

// LearningKinds names the kinds that learn: calibrated and binomial.
func LearningKinds() string { return text.And(fleet.LearningKinds()) }

// ShareKinds names the kinds that keep back a share: fixed.
func ShareKinds() string { return text.And(fleet.ShareKinds()) }

// AnyBufferKind names all kinds as a choice.
func AnyBufferKind() string { return text.Or(fleet.BufferKinds()) }

// Or names things as a choice: fixed, calibrated or rolling.
func Or(list []string) string { return text.Or(list) }
