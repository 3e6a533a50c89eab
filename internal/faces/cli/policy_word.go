package cli

import (
	"math"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// fixedKind is the kind that a share alone means.
const fixedKind = "fixed"

// keptShare is how people write a fixed policy.
const keptShare = "a share that is kept back, at most 100% in steps of 0.1% (15% or 0.15)"

// policyWords are how people write policies of all kinds but fixed.
func policyWords() (list []string) {
	for _, kind := range words.BufferKinds() {
		if kind.Name != fixedKind {
			list = append(list, words.PolicyWord(kind.Name, 15))
		}
	}
	return list
}

// policiesMean lists the policies that can be typed, and what each keeps back.
func policiesMean() string {
	list := []string{keptShare}
	for _, kind := range words.BufferKinds() {
		if kind.Name != fixedKind {
			list = append(list, words.PolicyWord(kind.Name, 15)+" ("+kind.Means+")")
		}
	}
	return text.Or(list)
}

// readPolicy reads a share that is kept back, the kind of a policy that learns, or KIND:SHARE.
func readPolicy(typed string) (*musterv1.Buffer, bool) {
	kind, number, both := strings.Cut(strings.TrimSpace(typed), ":")
	for _, one := range words.BufferKinds() {
		switch {
		case one.Name != kind:
		case one.Learns:
			return &musterv1.Buffer{Kind: kind}, !both
		case both:
			share, ok := readShare(number)
			return &musterv1.Buffer{Kind: kind, Share: share}, ok
		}
	}
	share, ok := readShare(typed)
	return &musterv1.Buffer{Kind: fixedKind, Share: share}, ok
}

// policyTyped are the arguments that set a buffer policy again; nil is that of the wider scope.
func policyTyped(b *musterv1.Buffer) []string {
	if b == nil {
		return []string{"inherit"}
	}
	line := []string{words.PolicyWord(b.GetKind(), percents(b.GetShare()))}
	if !words.BufferLearns(b.GetKind()) {
		return line
	}
	line = []string{b.GetKind()}
	for _, one := range []struct {
		flag string
		at   *float64
	}{{"--confidence", b.Confidence}, {"--floor", b.Floor}, {"--ceiling", b.Ceiling}} {
		if one.at != nil {
			line = append(line, one.flag, strconv.FormatFloat(percents(*one.at), 'f', -1, 64)+"%")
		}
	}
	return line
}

// percents is a share in percent; shares are whole thousandths.
func percents(share float64) float64 { return math.Round(share*1000) / 10 }
