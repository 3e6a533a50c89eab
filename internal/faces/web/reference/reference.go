package reference

import (
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// Words is the glossary.
func Words(v *frame.Visit) (frame.Page, error) {
	return frame.Page{
		Title: "What the words mean", Still: true, Body: wordsBody(v),
		Lead: "Pages, command line and API use these words and no others. Every figure on a page leads here, or to where it comes from.",
	}, nil
}

// Style shows what pages are made of.
func Style(v *frame.Visit) (frame.Page, error) {
	return frame.Page{Title: "What pages are made of", Still: true, Body: styleBody(v, draw.Inks), Lead: "One type scale, one spacing scale, one set of colours with meanings. What differs in colour differs in hatching, shape or place, too."}, nil
}
