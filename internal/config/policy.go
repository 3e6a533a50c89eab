package config

import "github.com/muster-fleet/muster/internal/fleet"

// PolicyKeys are the keys of a policy.
var PolicyKeys = []string{"buffer", "dwell", "probation", "staleAfter", "idle", "flexMinimum", "maxGrace", "targets"}

// ReadPolicy reads the settings that a policy names.
func ReadPolicy(v Value, f Fields) Policy {
	idle := f.At("idle").Fields("threshold", "window")
	targets := f.At("targets").Fields("availability", "uptime", "mttr")
	buffer, later := readBuffer(f.At("buffer"))
	return Policy{
		Line:          v.Line(),
		Buffer:        buffer,
		Later:         later,
		Dwell:         maybe(f.At("dwell"), Value.Duration),
		Probation:     maybe(f.At("probation"), Value.Duration),
		StaleAfter:    maybe(f.At("staleAfter"), Value.Duration),
		FlexMinimum:   maybe(f.At("flexMinimum"), Value.Duration),
		MaxGrace:      maybe(f.At("maxGrace"), Value.Duration),
		IdleThreshold: maybe(idle.At("threshold"), Value.Share),
		IdleWindow:    maybe(idle.At("window"), Value.Duration),
		Availability:  maybe(targets.At("availability"), Value.Share),
		Uptime:        maybe(targets.At("uptime"), Value.Share),
		MTTR:          maybe(targets.At("mttr"), Value.Duration),
	}
}

// maybe reads a value where it is there.
func maybe[T any](v Value, read func(Value) T) *T {
	if !v.Present() {
		return nil
	}
	x := read(v)
	return &x
}

// readBuffer reads a buffer; later says that it is of a kind for a later day.
func readBuffer(v Value) (b *fleet.Buffer, later bool) {
	if !v.Present() {
		return nil, false
	}
	f := v.Fields("kind", "share", "confidence", "floor", "ceiling")
	kind := fleet.Fixed
	if f.Has("kind") {
		kind = fleet.BufferKind(f.At("kind").Word(string(fleet.Fixed), string(fleet.Calibrated), string(fleet.Binomial)))
	}
	if kind == fleet.Calibrated || kind == fleet.Binomial {
		f.At("kind").NotYet("a buffer of kind %s; use fixed, as in {kind: fixed, share: 0.15}", kind)
		return nil, true
	}
	return readFixed(f), false
}

func readFixed(f Fields) *fleet.Buffer {
	for _, key := range []string{"confidence", "floor", "ceiling"} {
		if f.Has(key) {
			f.At(key).Fail("%s belongs to the kinds calibrated and binomial; a fixed buffer has a share only", key)
		}
	}
	b := fleet.DefaultPolicy().Buffer
	if f.Has("share") {
		b.Share = f.At("share").Share()
	}
	return &b
}

// Over is a policy with what the file names put over it.
func (p Policy) Over(base fleet.Policy) fleet.Policy {
	set(&base.Buffer, p.Buffer)
	set(&base.Dwell, p.Dwell)
	set(&base.Probation, p.Probation)
	set(&base.StaleAfter, p.StaleAfter)
	set(&base.FlexMinimum, p.FlexMinimum)
	set(&base.MaxGrace, p.MaxGrace)
	set(&base.Idle.Window, p.IdleWindow)
	set(&base.Idle.Threshold, p.IdleThreshold)
	set(&base.Targets.Availability, p.Availability)
	set(&base.Targets.Uptime, p.Uptime)
	set(&base.Targets.MTTR, p.MTTR)
	return base
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
