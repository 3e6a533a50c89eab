package web

import "github.com/muster-fleet/muster/internal/faces/draw"

func wordsPage(v *visit) (page, error) {
	return page{
		title: "What the words mean", still: true, body: wordsBody(v),
		lead: "Pages, command line and API use these words and no others. Every figure on a page leads here, or to where it comes from.",
	}, nil
}

func stylePage(v *visit) (page, error) {
	return page{title: "What pages are made of", still: true, body: styleBody(v, draw.Inks), lead: "One type scale, one spacing scale, one set of colours with meanings. What differs in colour differs in hatching, shape or place, too."}, nil
}
