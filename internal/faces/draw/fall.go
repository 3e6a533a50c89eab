package draw

// Fall is a moment at which fewer nodes were whole than had been promised. All are
// counts of nodes.
type Fall struct {
	Promised int
	Whole    int // that were left
	Lost     int // by what broke it
	Out      int // already
}

// Falls draws what was left against what had been promised: what is whole, what fell
// then, and what was out already, with a mark where the promise stood.
func Falls(id string, f Fall, w Width) SVG {
	p := newPen(id+px(float64(w)), Number(f.Whole)+" nodes were whole, "+Number(f.Promised)+" had been promised", float64(w))
	all := max(1, f.Whole+f.Lost+f.Out, f.Promised)
	s := scale{most: float64(all), x0: 4, x1: float64(w) - 4}
	const y, high = 22.0, 28.0
	p.rect(Empty, s.x0, y, s.x1-s.x0, high, "")
	at := 0
	for _, part := range []Part{
		{GPUs: f.Whole, Ink: Metal, Says: Count(f.Whole, "node") + " whole and healthy"},
		{GPUs: f.Lost, Ink: Down, Says: Count(f.Lost, "node") + " fell then"},
		{GPUs: f.Out, Ink: Suspect, Says: Count(f.Out, "node") + " out already"},
	} {
		p.rect(part.Ink, s.of(at), y, s.of(at+part.GPUs)-s.of(at), high, part.Says)
		at += part.GPUs
	}
	x := s.of(f.Promised)
	p.raw(`<rect x="`, px(x-3), `" y="`, px(y-4), `" width="6" height="`, px(high+8), `" class="d-ground" fill="`, ground, `"/>`)
	p.rect(Quota, x-1.5, y-4, 3, high+8, Number(f.Promised)+" promised")
	text, anchor := Number(f.Promised)+" promised", middle
	switch half := width(text, small) / 2; {
	case x+half > float64(w):
		anchor = end
	case x-half < 0:
		anchor = start
	}
	p.text(x, 12, text, style{size: small, at: anchor})
	var keys []key
	for _, k := range []struct {
		n    int
		ink  Ink
		text string
	}{{f.Whole, Metal, "whole"}, {f.Lost, Down, "fell then"}, {f.Out, Suspect, "out already"}} {
		if k.n > 0 {
			keys = append(keys, key{k.ink, Number(k.n) + " " + k.text})
		}
	}
	return p.done(p.legend(2, y+high+12, keys...))
}
