package fleetfile

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// PolicyKeys are the keys of a policy.
var PolicyKeys = []string{"buffer", "dwell", "probation", "staleAfter", "idle", "flexMinimum", "maxGrace", "secondPerson", "twoPeople", "openReading", "targets", "maintenance"}

// ReadPolicy reads the settings that a policy names.
func ReadPolicy(v yamlfile.Value, f yamlfile.Fields) Policy {
	idle := f.At("idle").Fields("threshold", "window")
	m := f.At("maintenance").Fields("horizon", "lead", "validation", "keepRoom", "nfzDays")
	targets := f.At("targets").Fields("availability", "uptime", "mttr")
	return Policy{
		Line:          v.Line(),
		Buffer:        readBuffer(f.At("buffer")),
		Dwell:         maybe(f.At("dwell"), yamlfile.Value.Duration),
		Probation:     maybe(f.At("probation"), yamlfile.Value.Duration),
		StaleAfter:    maybe(f.At("staleAfter"), yamlfile.Value.Duration),
		FlexMinimum:   maybe(f.At("flexMinimum"), yamlfile.Value.Duration),
		MaxGrace:      maybe(f.At("maxGrace"), yamlfile.Value.Duration),
		IdleThreshold: maybe(idle.At("threshold"), yamlfile.Value.Share),
		IdleWindow:    maybe(idle.At("window"), yamlfile.Value.Duration),
		SecondPerson:  maybe(f.At("secondPerson"), yamlfile.Value.Bool),
		TwoPeople:     maybe(f.At("twoPeople"), readTwoPeople),
		OpenReading:   maybe(f.At("openReading"), yamlfile.Value.Bool),
		PolicyTargets: PolicyTargets{
			Availability: maybe(targets.At("availability"), yamlfile.Value.Share),
			Uptime:       maybe(targets.At("uptime"), yamlfile.Value.Share),
			MTTR:         maybe(targets.At("mttr"), yamlfile.Value.Duration),
		},
		PolicyMaintenance: PolicyMaintenance{
			Horizon:    maybe(m.At("horizon"), yamlfile.Value.Duration),
			Lead:       maybe(m.At("lead"), yamlfile.Value.Duration),
			Validation: maybe(m.At("validation"), yamlfile.Value.Duration),
			KeepRoom:   maybe(m.At("keepRoom"), yamlfile.Value.Duration),
			ZoneDays:   maybe(m.At("nfzDays"), func(v yamlfile.Value) int { return v.Int(0, 92) }),
		},
	}
}

// readTwoPeople reads what takes two people.
func readTwoPeople(v yamlfile.Value) fleet.TwoPeople {
	var names []string
	for _, one := range v.List() {
		names = append(names, one.Word(fleet.TwoPeopleFor()...))
	}
	two, _ := fleet.ReadTwoPeople(names) // what else is named was said already
	return two
}

// maybe reads a value where it is there.
func maybe[T any](v yamlfile.Value, read func(yamlfile.Value) T) *T {
	if !v.Present() {
		return nil
	}
	x := read(v)
	return &x
}

// bufferKinds are the words for the kinds of buffer policies.
func bufferKinds() (words []string) {
	for _, k := range fleet.BufferKinds() {
		words = append(words, string(k))
	}
	return words
}

// bufferSettings are the names of the numbers that buffer policies of one kind have.
func bufferSettings(kind fleet.BufferKind) (names []string) {
	for _, s := range (&fleet.Buffer{Kind: kind}).Settings() {
		names = append(names, s.Name)
	}
	return names
}

// readBuffer reads a buffer policy. What it does not name is as the contract has it.
func readBuffer(v yamlfile.Value) *fleet.Buffer {
	if !v.Present() {
		return nil
	}
	f := v.Fields(slices.Concat([]string{"kind"}, settingsThat(false), settingsThat(true))...)
	kind := fleet.Fixed
	if f.Has("kind") {
		kind = fleet.BufferKind(f.At("kind").Word(bufferKinds()...))
	}
	if (fleet.Buffer{Kind: kind}).Learns() {
		return readLearning(v, f, kind)
	}
	return readKept(f, cmp.Or(kind, fleet.Fixed))
}

// settingsThat are the names of the numbers of the kinds that learn, or of those that do not.
func settingsThat(learn bool) []string {
	for _, kind := range fleet.BufferKinds() {
		if (fleet.Buffer{Kind: kind}).Learns() == learn {
			return bufferSettings(kind)
		}
	}
	return nil
}

// readKept reads a buffer of a kind that keeps a share back, whatever the past was.
func readKept(f yamlfile.Fields, kind fleet.BufferKind) *fleet.Buffer {
	b := fleet.DefaultBuffer(kind)
	for _, key := range settingsThat(true) {
		if f.Has(key) {
			f.At(key).Fail("%s belongs to the kinds %s; a %s buffer has a share only", key, text.And(fleet.LearningKinds()), b.Kind)
		}
	}
	readSettings(f, &b)
	return &b
}

// readSettings reads those numbers of a policy that the file names.
func readSettings(f yamlfile.Fields, b *fleet.Buffer) {
	for _, s := range b.Settings() {
		if f.Has(s.Name) {
			*s.At = f.At(s.Name).Share()
		}
	}
}

// readLearning reads a buffer of a kind that learns.
func readLearning(v yamlfile.Value, f yamlfile.Fields, kind fleet.BufferKind) *fleet.Buffer {
	if f.Has("share") {
		f.At("share").Fail("share belongs to the kind %s; a %s buffer has confidence, floor and ceiling", text.And(fleet.ShareKinds()), kind)
	}
	b := fleet.DefaultBuffer(kind)
	readSettings(f, &b)
	if err := b.Check(); err != nil {
		v.Fail("%v", err)
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
	set(&base.SecondPerson, p.SecondPerson)
	set(&base.OpenReading, p.OpenReading)
	set(&base.TwoPeople, p.TwoPeople)
	set(&base.Targets.Availability, p.Availability)
	set(&base.Targets.Uptime, p.Uptime)
	set(&base.Targets.MTTR, p.MTTR)
	if p.Horizon != nil || p.Lead != nil || p.Validation != nil || p.KeepRoom != nil || p.ZoneDays != nil {
		base.Maintenance = base.Maintenance.OrDefault()
		set(&base.Maintenance.Horizon, p.Horizon)
		set(&base.Maintenance.Lead, p.Lead)
		set(&base.Maintenance.Validation, p.Validation)
		set(&base.Maintenance.KeepRoom, p.KeepRoom)
		set(&base.Maintenance.ZoneDays, p.ZoneDays)
	}
	return base
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
