package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/text"
)

// SpanFlag is a flag with a length of time, for commands that others add. The
// pointer holds its default, and later its value.
func SpanFlag(is *time.Duration) pflag.Value { return &sharedSpan{span{d: *is, set: true}, is} }

// sharedSpan is a span whose value is kept outside.
type sharedSpan struct {
	span
	is *time.Duration
}

func (s *sharedSpan) Set(text string) error {
	err := s.span.Set(text)
	*s.is = s.d
	return err
}

// span is a flag with a length of time: 90s, 4h, 7d.
type span struct {
	d   time.Duration
	set bool
}

func (s *span) Set(text string) error {
	d, err := yamlfile.ParseDuration(text)
	if err != nil || d < 0 {
		return usage("%.40q is no length of time; write it with its unit, as in 30s, 4h or 7d", text)
	}
	s.d, s.set = d, true
	return nil
}

func (s *span) String() string {
	if !s.set {
		return ""
	}
	return words.Duration(s.d)
}

// Type is what help calls the value.
func (*span) Type() string { return "duration" }

func (s *span) message() *durationpb.Duration {
	if !s.set {
		return nil
	}
	return durationpb.New(s.d)
}

// moment is a flag with a moment: of the past, as text.Back reads it; with ahead, a moment to
// come as words.Ahead reads it.
type moment struct {
	env   *Env
	ahead bool
	at    time.Time
	text  string
}

func (m *moment) Set(word string) error {
	at, ok := m.parse(word)
	if !ok {
		wrong, examples := m.wrong(word)
		return usage("%.40q %s; write it as in %s", word, wrong, examples)
	}
	m.at, m.text = at, word
	return nil
}

// wrong says what is wrong with a moment that could not be read, and how one is written.
func (m *moment) wrong(word string) (wrong, examples string) {
	const unread = "could not be read as a moment"
	if m.ahead {
		return orElse(words.WrongAhead(word, m.env.Now(), m.env.zone()), unread), words.AheadExamples
	}
	if _, ahead := words.Ahead(word, m.env.Now(), m.env.zone()); ahead {
		return "is to come, and this asks about the past", text.BackExamples
	}
	return orElse(text.WrongMoment(word), unread), text.BackExamples
}

func (m *moment) parse(when string) (time.Time, bool) {
	if m.ahead {
		return words.Ahead(when, m.env.Now(), m.env.zone())
	}
	return text.Back(when, m.env.Now(), m.env.zone())
}

// in reads the same words anew in a time zone: a day begins at another moment there.
func (m *moment) in(zone *time.Location) {
	if at, ok := words.Ahead(m.text, m.env.Now(), zone); ok && m.ahead {
		m.at = at
	}
}

func (m *moment) String() string { return m.text }

// Type is what help calls the value.
func (*moment) Type() string { return "moment" }

func (m *moment) message() *timestamppb.Timestamp {
	if m.at.IsZero() {
		return nil
	}
	return timestamppb.New(m.at)
}

// mostGPUs is more than any fleet has: a number above it is a typing error.
const mostGPUs = 10_000_000

// gpusOf reads GPUs from the command line.
func gpusOf(word string) (int32, error) {
	n, err := strconv.Atoi(word)
	switch {
	case err == nil && strings.HasPrefix(word, "+"):
		return 0, usage("%.40s has a sign; write a whole number, as in 64", word)
	case err != nil:
		return 0, usage("%.40q is not a number of GPUs; write a whole number, as in 64", word)
	case n < 0 || n > mostGPUs:
		return 0, usage("%s; write a whole number from 0 to %d", text.Count(n, "GPU"), mostGPUs)
	}
	return int32(n), nil
}
