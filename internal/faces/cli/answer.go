package cli

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// answer is what a question brought: a value for programs, and a table with
// texts around it for people.
type answer struct {
	message proto.Message // for json and yaml
	value   any           // the same, where there is no message
	lead    func(p *page) // above the table
	table   *table        // for table, wide and csv; nil: none
	most    int           // at most so many rows of it, once they are sorted; 0: all
	tail    func(p *page) // under the table
	rows    *table        // for csv, where it is another than for people
	note    string        // what to know beside the answer, for people under it, for programs on the error stream
	picture draw.SVG      // for svg; nil: none
	unmet   string        // why what was asked for is not so; "": it is
}

// page is where people read an answer.
type page struct {
	io.Writer
	paint
	clock
	wide  bool
	piped bool // a program may read it
}

// table shows a table. Names that a program reads are not broken.
func (p *page) table(t *table) {
	t.whole = p.piped
	t.show(p, p.paint, p.clock, p.wide)
}

// print writes the answer in the format that was asked for.
func (a *app) print(w io.Writer, ans answer) error {
	if ans.note != "" && a.output != "table" && a.output != "wide" {
		_, _ = fmt.Fprintf(a.Err, "muster: %s\n", ans.note)
	}
	if err := a.sorted(ans); err != nil {
		return err
	}
	if ans.most > 0 && ans.table != nil {
		ans.table.rows = ans.table.rows[:min(ans.most, len(ans.table.rows))]
	}
	switch a.output {
	case "json":
		return write(w, asJSON, ans.plain())
	case "yaml":
		return write(w, asYAML, ans.plain())
	case "csv":
		return ans.csv(w)
	case "svg":
		_, err := w.Write(append(ans.picture, '\n'))
		return err
	}
	if ans.message != nil {
		sanitise(ans.message.ProtoReflect())
	}
	a.page(w).show(ans)
	return nil
}

func (ans answer) csv(w io.Writer) error {
	switch {
	case ans.rows != nil:
		return ans.rows.csv(w)
	case ans.table != nil:
		return ans.table.csv(w)
	}
	return usage("this answer has no rows for -o csv; use -o json")
}

func write(w io.Writer, as func(any) ([]byte, error), v any) error {
	data, err := as(v)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (ans answer) plain() any {
	if ans.message == nil {
		return ans.value
	}
	return plain(ans.message)
}

func (a *app) page(w io.Writer) *page {
	return &page{w, a.painter(), a.clock(), a.output == "wide", !a.OutTerminal}
}

// clock is the clock of this call.
func (a *app) clock() clock { return clock{now: a.Now(), zone: a.zone(), asOf: a.lookedAt} }

func (p *page) show(ans answer) {
	if ans.lead != nil {
		ans.lead(p)
	}
	if ans.table != nil {
		p.table(ans.table)
	}
	if ans.tail != nil {
		ans.tail(p)
	}
	if ans.note != "" {
		p.say("%s", ans.note)
	}
}
