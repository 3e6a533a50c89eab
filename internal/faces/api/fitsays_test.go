package api

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/forecast"
)

// A place that is asked about once more, since it was not answered together with others, may be
// answered then: such an answer has no unknown ground, and it is taken.
func TestAnAnswerSaysMoreThanThatTimeWasShort(t *testing.T) {
	for name, c := range map[string]struct {
		answer forecast.Answer
		more   bool
	}{
		"a known start":       {forecast.Answer{Known: true}, true},
		"time was too short":  {forecast.Answer{Unknown: []forecast.Ground{{Kind: forecast.TooFar}}}, false},
		"another reason":      {forecast.Answer{Unknown: []forecast.Ground{{Kind: forecast.NotWaiting}}}, true},
		"unknown, no grounds": {forecast.Answer{}, true},
	} {
		if got := saysMore(forecastMessage(c.answer, nil, nil)); got != c.more {
			t.Errorf("%s: says more: %t", name, got)
		}
	}
}
