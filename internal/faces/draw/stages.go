package draw

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Stages is how long repairs of one scope took, stage by stage.
type Stages struct {
	Name  string
	Note  string
	Parts []Stage
}

// Stage is one part of a repair.
type Stage struct {
	Name string
	Mean time.Duration
}

// stageInks are the inks of stages, in their order.
var stageInks = map[string]Ink{
	"detect": Suspect, "drain": Over, "wait": Down, "repair": Repair, "validate": Validate, "probation": Probation,
}

// StageBars draws mean repairs as bars of their stages.
func StageBars(rows []Stages, w Width) SVG {
	p := newPen("stages"+px(float64(w)), "Mean time to repair, by stage", float64(w))
	names, notes, row := 220.0, 150.0, 28.0
	if w == Narrow {
		names, notes, row = 0, 0, 46
	}
	longest := time.Second
	for _, r := range rows {
		longest = max(longest, total(r))
	}
	s := scale{most: float64(longest), x0: names, x1: float64(w) - notes}
	y := 0.0
	for _, r := range rows {
		bar := y + 4
		if w == Narrow {
			bar = y + 22
			note := fit(r.Note, small, 180)
			p.text(0, y+16, fit(r.Name, body, float64(w)-width(note, small)-12), style{})
			p.text(float64(w), y+16, note, style{size: small, quiet: true, at: end})
		} else {
			p.text(0, y+17, fit(r.Name, body, names-8), style{})
			p.text(float64(w), y+17, fit(r.Note, small, notes-8), style{size: small, quiet: true, at: end})
		}
		p.stages(r, s, bar)
		y += row
	}
	var list []key
	for _, name := range []string{"detect", "drain", "wait", "repair", "validate", "probation"} {
		list = append(list, key{stageInks[name], name})
	}
	return p.done(p.legend(0, y+8, list...))
}

// stages draws the bar of one row.
func (p *pen) stages(r Stages, s scale, y float64) {
	at := time.Duration(0)
	for _, one := range r.Parts {
		p.rect(stageInks[one.Name], s.at(float64(at)), y, s.at(float64(at+one.Mean))-s.at(float64(at)), 18, one.Name+" "+text.About(one.Mean))
		at += one.Mean
	}
}

func total(r Stages) (sum time.Duration) {
	for _, one := range r.Parts {
		sum += one.Mean
	}
	return sum
}
