package audit

import (
	"errors"
	"fmt"
	"slices"
)

// Records calls fn for each record of the journal, from the first one on that it has.
type Records func(fn func(seq uint64, at int64, data []byte) error) error

// Start is where the records of a journal begin that lacks its beginning. They follow a version, with
// the link of all records up to there. The zero value is the beginning of all.
type Start struct {
	Version uint64
	Chain   Link
	Unknown bool // the link was not kept
}

// Proof is what was proven.
type Proof struct {
	Entries uint64 // of the log
	Version uint64 // of the journal, up to which its records are what the heads say
	Head    Link   // of the journal at that version
	Broken  []string
}

// Prove goes through the log and the journal, and compares every head with the records that
// it names. What is not as it was written is in Broken; the error says that the world failed.
func (l *Log) Prove(start Start, records Records) (Proof, error) {
	var p Proof
	var heads []Entry
	err := l.walk(func(e Entry, _ string, _ int64) error {
		p.Entries = e.Seq
		switch e.Kind {
		case Head:
			heads = append(heads, e)
		case Cut:
			heads = slices.DeleteFunc(heads, func(h Entry) bool { return h.Version > e.Version })
		default: // the others say nothing of the journal
		}
		return nil
	})
	var broken *BrokenError
	switch {
	case errors.As(err, &broken):
		p.Broken = append(p.Broken, broken.Error())
	case err != nil && !errors.As(err, new(*cutError)):
		return p, err
	}
	if start.Unknown {
		p.Broken = append(p.Broken, fmt.Sprintf("journal: a salvage has cut off what was before version %d: what follows cannot be compared with this log", start.Version+1))
		return p, nil
	}
	heads = slices.DeleteFunc(heads, func(h Entry) bool { return h.Version < start.Version })
	err = p.compare(start, heads, records)
	return p, err
}

func (p *Proof) compare(start Start, heads []Entry, records Records) error {
	is, last := start.Chain, start.Version
	meet := func() error {
		for len(heads) > 0 && heads[0].Version == last {
			if heads[0].Chain != is.String() {
				p.Broken = append(p.Broken, fmt.Sprintf("journal: a record up to version %d is not as it was when entry %d of the audit log was written", last, heads[0].Seq))
				return errEnough
			}
			p.Version, p.Head, heads = last, is, heads[1:]
		}
		return nil
	}
	err := meet()
	if err == nil {
		err = records(func(seq uint64, at int64, data []byte) error {
			is, last = is.Extend(seq, at, data), seq
			return meet()
		})
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	if err == nil && len(heads) > 0 {
		p.Broken = append(p.Broken, fmt.Sprintf("journal: it ends at version %d, and had version %d when entry %d of the audit log was written", last, heads[0].Version, heads[0].Seq))
	}
	return err
}
