package cli

import (
	"time"

	"github.com/muster-fleet/muster/internal/prove/scenario"
)

// momentsData is every figure of a story's moments, as data: a list of rows for
// each kind of thing, with the words of the contract as keys.
func momentsData(moments []scenario.Moment) []any {
	list := []any{}
	for _, m := range moments {
		o := object{{"at", m.At.String()}, {"atSeconds", m.At.Seconds()}}
		if m.Line > 0 {
			o = append(o, member{"line", m.Line})
		}
		for _, subject := range []string{"workload", "quota", "partition", "namespace"} {
			rows := []any{}
			for _, r := range m.Rows {
				if r.Subject == subject {
					rows = append(rows, figuresOf(r))
				}
			}
			o = append(o, member{subject + "s", rows})
		}
		list = append(list, o)
	}
	return list
}

func figuresOf(r scenario.Row) object {
	o := object{{r.Subject, r.Name}}
	if r.Partition != "" {
		o = append(o, member{"partition", r.Partition})
	}
	for _, f := range r.Figures {
		switch is := f.Is.(type) {
		case time.Duration:
			o = append(o, member{f.Name + "Seconds", is.Seconds()})
		default:
			o = append(o, member{f.Name, is})
		}
	}
	return o
}
