package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// shape is an element of a drawing, as far as tests look at it.
type shape struct {
	name string
	attr map[string]string
	text string
}

func (s shape) num(name string) float64 {
	v, _ := strconv.ParseFloat(s.attr[name], 64)
	return v
}

// read parses a drawing: it must be well-formed, and each text is kept with its words.
func read(t interface{ Fatalf(string, ...any) }, svg SVG) (shapes []shape, w, h float64) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	inDefs := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return shapes, w, h
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inDefs = inDefs || e.Name.Local == "defs"
			s := shape{name: e.Name.Local, attr: map[string]string{}}
			for _, a := range e.Attr {
				s.attr[a.Name.Local] = a.Value
			}
			if s.name == "svg" {
				w, h = s.num("width"), s.num("height")
			}
			if !inDefs && s.name != "svg" {
				shapes = append(shapes, s)
			}
		case xml.EndElement:
			inDefs = inDefs && e.Name.Local != "defs"
		case xml.CharData:
			if n := len(shapes); n > 0 && shapes[n-1].name == "text" {
				shapes[n-1].text += string(e)
			}
		}
	}
}

// inside fails where something stands outside the frame, or texts of one line overlap.
func inside(t interface{ Fatalf(string, ...any) }, what string, svg SVG) {
	shapes, w, h := read(t, svg)
	type box struct {
		x0, x1, y, size float64
		text            string
	}
	var texts []box
	for _, s := range shapes {
		switch s.name {
		case "rect":
			if s.num("x") < -0.1 || s.num("y") < -0.1 || s.num("x")+s.num("width") > w+0.1 || s.num("y")+s.num("height") > h+0.1 {
				t.Fatalf("%s: a rect stands outside %gx%g: %v", what, w, h, s.attr)
			}
		case "circle":
			if r := s.num("r"); s.num("cx")-r < -1 || s.num("cx")+r > w+1 || s.num("cy")-r < -1 || s.num("cy")+r > h+1 {
				t.Fatalf("%s: a circle stands outside %gx%g: %v", what, w, h, s.attr)
			}
		case "line":
			for _, k := range []string{"x1", "x2"} {
				if s.num(k) < -0.1 || s.num(k) > w+0.1 {
					t.Fatalf("%s: a line stands outside %g: %v", what, w, s.attr)
				}
			}
		case "text":
			size := s.num("font-size")
			long := width(s.text, size)
			b := box{s.num("x"), s.num("x") + long, s.num("y"), size, s.text}
			switch s.attr["text-anchor"] {
			case "middle":
				b.x0, b.x1 = b.x0-long/2, b.x1-long/2
			case "end":
				b.x0, b.x1 = b.x0-long, b.x1-long
			}
			if s.text != "" && (b.x0 < -1 || b.x1 > w+1 || b.y > h || b.y < size*0.6) {
				t.Fatalf("%s: %q from %.0f to %.0f at %.0f stands outside %gx%g", what, s.text, b.x0, b.x1, b.y, w, h)
			}
			for _, o := range texts {
				if s.text != "" && math.Abs(o.y-b.y) < size*0.7 && b.x0 < o.x1-1 && o.x0 < b.x1-1 {
					t.Fatalf("%s: %q and %q overlap", what, o.text, s.text)
				}
			}
			if s.text != "" {
				texts = append(texts, b)
			}
		}
	}
}

// waterfallOf is a waterfall of figures that add up.
func waterfallOf(installed, down, buffer, unallocated, unscheduled, idle int, name string) []Step {
	healthy := installed - down
	promisable := healthy - buffer
	assigned := promisable - unallocated
	scheduled := assigned - unscheduled
	return []Step{
		{Name: "installed", GPUs: installed, Ink: Metal, Total: true},
		{Name: name, GPUs: down, From: healthy, Ink: Down, Href: "/nodes", Note: "1 incident"},
		{Name: "healthy", GPUs: healthy, Ink: Metal, Total: true},
		{Name: "buffer", GPUs: buffer, From: promisable, Ink: Buffer},
		{Name: "promisable", GPUs: promisable, Ink: Metal, Total: true},
		{Name: "unallocated", GPUs: unallocated, From: assigned, Ink: Flex},
		{Name: "assigned", GPUs: assigned, Ink: Quota, Total: true},
		{Name: "unscheduled", GPUs: unscheduled, From: scheduled, Ink: Flex},
		{Name: "scheduled", GPUs: scheduled, Ink: Quota, Total: true, Parts: []Part{{GPUs: scheduled - idle, Ink: Quota}, {GPUs: idle, Ink: Idle}}},
	}
}

// In a waterfall what is taken away and what is left come to what was there: the
// bars of each pair of rows are together as long as the bar above them.
func TestWaterfallSumsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		installed := rapid.IntRange(1, 1_000_000).Draw(t, "installed")
		part := func(of int, name string) int { return rapid.IntRange(0, of).Draw(t, name) }
		down := part(installed, "down")
		buffer := part(installed-down, "buffer")
		unallocated := part(installed-down-buffer, "unallocated")
		unscheduled := part(installed-down-buffer-unallocated, "unscheduled")
		idle := part(installed-down-buffer-unallocated-unscheduled, "idle")
		steps := waterfallOf(installed, down, buffer, unallocated, unscheduled, idle, rapid.StringMatching(`[a-zA-Z: ]{0,80}`).Draw(t, "name"))
		for _, w := range []Width{Wide, Narrow} {
			svg := Waterfall(steps, w)
			inside(t, "waterfall", svg)
			long := lengths(t, svg)
			for i := 0; i+2 < len(steps); i += 2 {
				if above, below := long[i], long[i+1]+long[i+2]; math.Abs(above-below) > 0.5 {
					t.Fatalf("%s is %.1f px long, %s and %s %.1f together", steps[i].Name, above, steps[i+1].Name, steps[i+2].Name, below)
				}
			}
		}
	})
}

// lengths are the lengths of a waterfall's bars, row by row.
func lengths(t *rapid.T, svg SVG) (long []float64) {
	shapes, _, _ := read(t, svg)
	rows := map[string]int{}
	for _, s := range shapes {
		switch {
		case s.name == "text" && s.attr["text-anchor"] != "end" && s.attr["font-size"] == "13":
			long = append(long, 0)
		case s.name == "rect" && s.attr["class"] != "d-ground":
			// a bar belongs to the row whose words were written last, or, in narrow
			// drawings, to the row of its height
			rows[s.attr["y"]]++
			w := s.num("width")
			if strings.HasPrefix(s.attr["class"], "s-") {
				w += 1.6
			}
			long[len(long)-1] += w
		}
	}
	return long
}

func TestNothingStandsOutside(t *testing.T) {
	from := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, w := range []Width{Wide, Narrow} {
		for what, svg := range map[string]SVG{
			"waterfall": Waterfall(waterfallOf(896, 40, 64, 100, 80, 12, "quarantined: ParameterPlaneCable (node-problem-detector) once more"), w),
			"ribbon": Ribbon([]Stretch{
				{From: from, To: from.Add(time.Hour), Ink: Wait, Name: "TreeFull", Says: "waits"},
				{From: from.Add(time.Hour), To: from.Add(61 * time.Minute), Ink: Change, Name: "GangTooLarge"},
				{From: from.Add(61 * time.Minute), To: from.Add(3 * time.Hour), Ink: Quota, Name: "running"},
			}, []Mark{{from, "submitted"}, {from.Add(3 * time.Hour), "finished"}}, from, from.Add(3*time.Hour), w),
			"ladder": Ladder([]Rung{
				{Name: "a-namespace-with-a-long-name/and-a-workload-with-a-longer-one-yet", Note: "trainer 128×8, grader 2..1024×1", Running: true, Since: from, Ends: from.Add(3 * time.Hour), Ink: Quota},
				{Name: "oak/pretrain", Note: "trainer 8×8", Turn: 1, P50: from.Add(2 * time.Hour), P90: from.Add(3 * time.Hour), Ink: Wait, Href: "/x"},
				{Name: "oak/moonshot", Note: "trainer 20×8", Turn: 1024, Why: "GangTooLarge: impossible as things are, whatever anybody does about it", Ink: Change},
				{Name: "oak/long", Running: true, Since: from, Ends: from.Add(300 * time.Hour), Ink: Quota},
				{Name: "oak/late", Turn: 3, P50: from.Add(200 * time.Hour), P90: from.Add(300 * time.Hour), Ink: Wait},
				{Name: "oak/wide", Turn: 4, P50: from.Add(3 * time.Hour), P90: from.Add(300 * time.Hour), Ink: Wait},
			}, from, from.Add(time.Hour), from.Add(4*time.Hour), w),
			"timeline": Timeline("t", "use", []Moment{
				{At: from, Assigned: 96, Backed: 96, Scheduled: 64}, {At: from.Add(time.Hour), Assigned: 96, Backed: 88, Scheduled: 88, Borrowed: 20, Over: 8, Flex: 4},
			}, []Gap{{from.Add(10 * time.Minute), from.Add(50 * time.Minute)}, {from.Add(-time.Hour), from.Add(time.Second)}}, from, from.Add(2*time.Hour), w),
			"dumbbells": Dumbbells([]Dumbbell{
				{Name: "tiger/h200", Head: true},
				{Name: "research/pretraining/a-team-with-a-very-long-name/and-another", Assigned: 1024, Backed: 1000, Highest: 1100, Proposed: 896, Href: "/team"},
				{Name: "safety/red", Assigned: 48, Backed: 48, Proposed: 48},
			}, w),
			"curves": Curves([]Curve{
				{Name: "XIDErrors 79 (dcgm)", Nodes: 4, Steps: []CurveStep{{time.Hour, 0.5}, {5 * time.Hour, 0}}}, {Name: strings.Repeat("a very long cause ", 5), Nodes: 3, Steps: []CurveStep{{30 * time.Hour, 0.25}}},
			}, w),
			"stages": StageBars([]Stages{{Name: "tiger, with a name that is too long for any column", Note: "2 h, 12 repaired", Parts: []Stage{{"wait", time.Hour}, {"repair", 2 * time.Hour}, {"probation", 24 * time.Hour}}}}, w),
			"steps": StepRows("s", "steps", []Steps{
				{Name: "DependenciesSatisfied, with more words than fit", Note: "30 min, 2 tries, late, and more words", Bars: []StepBar{
					{From: from, To: from.Add(time.Minute), Ink: Ask, Says: "waits"}, {From: from.Add(time.Minute), To: from.Add(time.Hour), Ink: Fault, Says: "failed", Href: "/x"},
				}, P50: from.Add(time.Hour), P90: from.Add(9 * time.Hour)},
				{Name: "NodesReady"},
			}, from, from.Add(time.Hour), from.Add(2*time.Hour), w),
			"coverage": Coverages([]Coverage{{Name: "tiger/h200 · calibrated 99.0 % · promisable, 24 h", Note: "980 kept, 20 broken", Claimed: 0.99, Realised: 0.8}, {Name: "lynx", Claimed: -1, Realised: -1, Faint: true}}, w),
			"frontier": Frontier([]Trade{
				{Name: "fixed 15.0 %", Kind: "fixed", Buffer: 0.15, Broken: 0.02, Own: true},
				{Name: "fixed 5.0 %", Kind: "fixed", Buffer: 0.07, Broken: 0.4},
				{Name: "fixed 30.0 %", Kind: "fixed", Buffer: 0.31},
				{Name: "calibrated 99.0 %", Kind: "calibrated", Buffer: 0.15, Broken: 0.02},
				{Name: "rolling 99.0 %", Kind: "rolling", Buffer: 0.151, Broken: 0.021},
			}, w),
			"ahead": Aheads([]Ahead{
				{Name: "tiger-h200-i1-001 is through probation and healthy, if nothing is seen until then, and more words than fit", Note: "8 GPUs", At: from.Add(30 * time.Minute), Ink: Probation, Href: "/x"},
				{Name: "hold 7 of 64 GPUs for research/oak ends", Note: "64 GPUs", At: from.Add(40 * 24 * time.Hour), Ink: Quota},
				{Name: "incident cooling is open", Note: "1,024 GPUs", Ink: Fault},
				{Name: "now", At: from, Ink: Metal},
			}, from, w),
			"fall":   Falls("f", Fall{Promised: 40, Whole: 37, Lost: 2, Out: 4}, w),
			"fall 2": Falls("f", Fall{Promised: 1, Whole: 0, Lost: 1}, w),
			"blocks": Blocks("b", "islands", []Block{{Name: "i1-with-a-long-name-of-an-island", Note: "1,024 free of 12,288", GPUs: 12288, Mark: 10000, Parts: []Part{{GPUs: 9000, Ink: Quota}, {GPUs: 9000, Ink: Flex}}}}, w),
		} {
			t.Run(fmt.Sprint(what, w), func(t *testing.T) { inside(t, what, svg) })
		}
	}
	t.Run("stairs", func(t *testing.T) {
		inside(t, "stairs", Stairs("s", "stairs", StairsOf(8, 1<<20, []int{4096, 512}, []int{33}), Quota))
	})
	t.Run("island", func(t *testing.T) {
		rack := Rack{Name: "rack 1"}
		for s := range signs {
			rack.Cells = append(rack.Cells, Cell{Name: s, State: s, GPUs: 8, Held: []Part{{GPUs: 6, Ink: Quota}}, Found: true})
		}
		inside(t, "island", Island("i", "island", []Rack{rack, {Name: "rack 12"}}, 8, nil))
		inside(t, "island", Island("i", "island", []Rack{rack}, 8, &Strip{Nodes: 8, Whole: 6, OwnPart: 5, Shares: []Share{{"research/pretraining/oak", "A", 3, "/team"}, {"x", "B", 1, ""}}}))
	})
	t.Run("meter", func(t *testing.T) {
		inside(t, "meter", Meter(100, 100, Part{90, Quota, "used"}, Part{90, Flex, "more than there is"}))
	})
}

// A staircase never rises: a larger gang has no more places than a smaller one.
func TestStairsOnlyGoDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		islands := rapid.SliceOfN(rapid.IntRange(0, 200), 0, 12)
		steps := StairsOf(8, rapid.IntRange(0, 4000).Draw(t, "free"), islands.Draw(t, "quota"), islands.Draw(t, "flex"))
		for i := 1; i < len(steps); i++ {
			if steps[i].Quota > steps[i-1].Quota || steps[i].Flex > steps[i-1].Flex {
				t.Fatalf("%v rises at %d", steps, i)
			}
		}
	})
}

// What is written fits: cut words are no wider than they may be.
func TestWordsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := rapid.String().Draw(t, "s"), rapid.Float64Range(20, 400).Draw(t, "most")
		if got := fit(s, body, most); width(got, body) > most {
			t.Fatalf("%q is %.0f px wide, more than %.0f", got, width(got, body), most)
		}
	})
	if got := fit("research/pretraining/oak", body, 120); !strings.HasSuffix(got, "/oak") {
		t.Errorf("a path loses its beginning, not its end: %q", got)
	}
}

// No two inks look the same to who sees no colours: of one drawing's solid inks
// only the states of nodes share a look, and they have shapes.
func TestEveryInkHasAMeaning(t *testing.T) {
	seen := map[Ink]bool{}
	for _, k := range Inks {
		if seen[k.Ink] || k.Means == "" || k.Light == "" || k.Dark == "" {
			t.Errorf("%s is there twice, or says nothing", k.Ink)
		}
		seen[k.Ink] = true
		if !strings.Contains(Stylesheet(), ".i-"+string(k.Ink)+"{fill:"+k.Dark) {
			t.Errorf("%s has no dark colour in the stylesheet", k.Ink)
		}
	}
	for state := range signs {
		inside(t, state, Sign(state))
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -12288: "−12,288"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) = %q, want %q", n, got, want)
		}
	}
	if Count(1, "node") != "1 node" || Count(2, "node") != "2 nodes" {
		t.Error("Count")
	}
}

// On an island's strip each quota has its part of the nodes, and what is spoken for,
// kept back and out comes to all of them.
func TestStripSumsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 128).Draw(t, "nodes")
		whole := rapid.IntRange(0, nodes).Draw(t, "whole")
		own := rapid.IntRange(0, whole).Draw(t, "own share")
		left, strip := whole, &Strip{Nodes: nodes, Whole: whole, OwnPart: own}
		for i := 0; left > 0 && i < 4; i++ {
			n := rapid.IntRange(1, left).Draw(t, "backed")
			strip.Shares = append(strip.Shares, Share{Quota: "research/" + Letter(i), Letter: Letter(i), Nodes: n})
			left -= n
		}
		svg := Island("i", "island", []Rack{{Name: "rack 1", Cells: []Cell{{Name: "n", State: "healthy", GPUs: 8}}}}, 16, strip)
		inside(t, "strip", svg)
		shapes, w, _ := read(t, svg)
		sum := 0.0
		for _, s := range shapes {
			class, paper := s.attr["class"], strings.HasPrefix(s.attr["class"], "s-"+string(Paper))
			if s.name != "rect" || s.num("height") < 14 || s.num("height") > 16 || class == "d-ground" || class == "i-empty" {
				continue
			}
			sum += s.num("width")
			if paper {
				sum += 1.6
			}
		}
		if math.Abs(sum-w) > 1 {
			t.Fatalf("the parts are %.1f px long together, the strip %.1f: %+v", sum, w, strip)
		}
	})
}

// What is coming stands in the order of its moments, none of it before now.
func TestAheadsStandAtTheirMoments(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var list []Ahead
		minutes := 0
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			minutes += rapid.IntRange(0, 3000).Draw(t, "later")
			list = append(list, Ahead{Name: "row", Note: "8 GPUs", At: now.Add(time.Duration(minutes) * time.Minute), Ink: Probation})
		}
		svg := Aheads(list, now, Wide)
		inside(t, "ahead", svg)
		shapes, _, _ := read(t, svg)
		last, bars := 0.0, 0
		for _, s := range shapes {
			if s.name != "rect" || s.attr["class"] != "i-probation" {
				continue
			}
			bars++
			if end := s.num("x") + s.num("width"); end < last-0.2 {
				t.Fatalf("row %d ends at %.1f, the one before at %.1f", bars, end, last)
			} else {
				last = end
			}
		}
		if bars != len(list) {
			t.Fatalf("%d bars for %d rows", bars, len(list))
		}
	})
}

// What was left, what fell and what was out come to all that stood, and the mark of the
// promise stands to the right of what was left.
func TestFallsShowWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fall{Whole: rapid.IntRange(0, 500).Draw(t, "whole"), Lost: rapid.IntRange(1, 60).Draw(t, "lost"), Out: rapid.IntRange(0, 60).Draw(t, "out")}
		f.Promised = f.Whole + rapid.IntRange(1, f.Lost).Draw(t, "short")
		svg := Falls("f", f, Wide)
		inside(t, "fall", svg)
		shapes, _, _ := read(t, svg)
		var whole, mark shape
		for _, s := range shapes {
			if s.name == "rect" && s.num("height") == 28 && s.attr["class"] == "i-metal" {
				whole = s
			}
			if s.name == "rect" && s.num("height") == 36 && s.attr["class"] == "i-quota" {
				mark = s
			}
		}
		if mark.num("x")+1.5 < whole.num("x")+whole.num("width") && f.Whole > 0 {
			t.Fatalf("%+v: the promise stands at %.1f, what is whole reaches %.1f", f, mark.num("x"), whole.num("x")+whole.num("width"))
		}
	})
}

// In the picture of a team the layers of its use stand on each other, and what it lends
// hangs from what is backed: no layer covers another.
func TestTimelineLayersDoNotOverlap(t *testing.T) {
	from := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		m := Moment{At: from, Backed: rapid.IntRange(0, 400).Draw(t, "backed")}
		usage := rapid.IntRange(0, 500).Draw(t, "usage")
		m.Scheduled = min(usage, m.Backed)
		m.Borrowed = rapid.IntRange(0, usage-m.Scheduled).Draw(t, "borrowed")
		m.Over = usage - m.Scheduled - m.Borrowed
		m.Lent = rapid.IntRange(0, m.Backed-m.Scheduled).Draw(t, "lent")
		m.Assigned = m.Backed
		svg := Timeline("t", "use", []Moment{m}, nil, from, from.Add(time.Hour), Wide)
		inside(t, "timeline", svg)
		shapes, _, _ := read(t, svg)
		type layer struct{ low, high float64 }
		var layers []layer
		for _, s := range shapes {
			if s.name != "path" || !strings.HasSuffix(s.attr["d"], "Z") {
				continue
			}
			low, high := math.Inf(1), math.Inf(-1)
			for _, point := range strings.FieldsFunc(strings.TrimSuffix(s.attr["d"], "Z"), func(r rune) bool { return r == 'M' || r == 'L' }) {
				y, _ := strconv.ParseFloat(strings.Fields(point)[1], 64)
				low, high = min(low, y), max(high, y)
			}
			layers = append(layers, layer{low, high})
		}
		want := 0
		for _, n := range []int{m.Scheduled, m.Borrowed, m.Over, m.Lent} {
			if n > 0 {
				want++
			}
		}
		if len(layers) != want {
			t.Fatalf("%d layers, want %d: %+v", len(layers), want, m)
		}
		for i := range layers {
			for j := range i {
				if layers[i].low < layers[j].high-0.2 && layers[j].low < layers[i].high-0.2 {
					t.Fatalf("layers %d and %d overlap: %v, %+v", j, i, layers, m)
				}
			}
		}
	})
}

// Words before a path keep their beginning; a path alone keeps its end.
func TestWordsBeforeAPathKeepTheirBeginning(t *testing.T) {
	if got := fit("part of a grant ends: research/pretraining/elm", body, 200); !strings.HasPrefix(got, "part of a grant") {
		t.Errorf("the words became %q", got)
	}
	if got := fit("research/pretraining/elm", body, 100); !strings.HasSuffix(got, "/elm") {
		t.Errorf("the path became %q", got)
	}
}
