package draw

// Meter is a small bar for a table: parts of a whole, and how large the whole is
// beside the largest of its column. It uses the hatchings of Shared.
func Meter(whole, most int, parts ...Part) SVG {
	const w, h = 120.0, 14.0
	p := newPen("shared", meterLabel(whole, parts), w)
	p.guest = true
	s := scale{most: float64(max(1, most)), x0: 0, x1: w}
	p.rect(Empty, 0, 1, s.of(whole), h-2, "")
	at := 0
	for _, part := range parts {
		n := min(part.GPUs, whole-at)
		p.rect(part.Ink, s.of(at), 1, s.of(at+n)-s.of(at), h-2, part.Says)
		at += n
	}
	return p.done(h)
}

func meterLabel(whole int, parts []Part) string {
	s := "Of " + Number(whole)
	for _, part := range parts {
		if part.Says != "" && part.GPUs > 0 {
			s += ", " + part.Says
		}
	}
	return s
}

// Shared is the hatchings that small drawings of one page have in common.
func Shared() SVG {
	p := newPen("shared", "", 0)
	for _, k := range Inks {
		p.used[k.Ink] = k.Hatch != solid && k.Hatch != outlined
	}
	p.raw(`<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" class="hidden" aria-hidden="true">`)
	p.hatchings()
	p.raw("</svg>")
	return p.b.Bytes()[headBytes:]
}
