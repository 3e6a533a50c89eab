package reference

import (
	"time"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// sample is a picture that the page of styles shows, with what it says.
type sample struct {
	title, says  string
	wide, narrow draw.SVG
}

// samples are pictures of made-up figures.
func samples() []sample {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	cell := func(state string, parts ...draw.Part) draw.Cell {
		return draw.Cell{Name: state, State: state, GPUs: 8, Held: parts, Says: state}
	}
	rack := draw.Rack{Name: "rack 1", Cells: []draw.Cell{
		cell("healthy", draw.Part{GPUs: 8, Ink: draw.Quota}), cell("healthy", draw.Part{GPUs: 4, Ink: draw.Quota}, draw.Part{GPUs: 4, Ink: draw.Borrow}), cell("healthy", draw.Part{GPUs: 8, Ink: draw.Flex}),
		cell("healthy", draw.Part{GPUs: 8, Ink: draw.Over}), cell("healthy"), cell("probation", draw.Part{GPUs: 8, Ink: draw.Flex}), cell("quarantined"), cell("maintenance"),
	}}
	strip := &draw.Strip{Nodes: 8, Whole: 6, OwnPart: 5, Shares: []draw.Share{{Quota: "research/oak", Letter: "A", Nodes: 3}, {Quota: "research/elm", Letter: "B", Nodes: 1}}}
	ahead := []draw.Ahead{
		{Name: "n7 through probation", Note: "8 GPUs", At: at.Add(5 * time.Hour), Ink: draw.Probation},
		{Name: "hold ends: research/oak", Note: "64 GPUs", At: at.Add(20 * 24 * time.Hour), Ink: draw.Quota},
		{Name: "incident cooling", Note: "16 GPUs", Ink: draw.Fault},
	}
	fall := draw.Fall{Promised: 20, Whole: 19, Lost: 1, Out: 4}
	// Each drawing has an id of its own: a browser takes no hatching from a drawing that it does not show.
	island := func(id string) draw.SVG { return draw.Island(id, "An island", []draw.Rack{rack}, 8, strip) }
	return []sample{
		{"An island", "How a node is held by colour and hatching, its state by a shape; below, whom its nodes are promised to.", island("sample"), island("sample-narrow")},
		{"What is coming", "From now to its moment; dashed where no date is given.", draw.Aheads(ahead, at, draw.Wide), draw.Aheads(ahead, at, draw.Narrow)},
		{"A broken promise", "What was whole, what fell and what was out, against what had been promised.", draw.Falls("sample-fall", fall, draw.Wide), draw.Falls("sample-fall-narrow", fall, draw.Narrow)},
	}
}
