package bench

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"
)

var grown = func() Report {
	r := Report{Bench: "growth"}
	for _, panel := range []string{"end and start, µs", "submit and wait, µs"} {
		for i, name := range []string{"1,000 nodes", "10,000 nodes", "100,000 nodes"} {
			for x := 1000.0; x <= 100_000; x *= 10 {
				r.grows(panel, name, "waiting", Point{x, 20*float64(i+1) + x/1000})
			}
		}
	}
	return r
}()

// The picture holds every point, within its frame, and more is never lower.
func TestThePictureOfGrowthHoldsWhatWasMeasured(t *testing.T) {
	circles, last := 0, 0.0
	d := xml.NewDecoder(strings.NewReader(grown.Picture()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "circle" {
			continue
		}
		x, y := place(t, e, "cx"), place(t, e, "cy")
		if x < curveLeft || x > 2*curveWide || y < curveTop || y > curveTop+curveTal {
			t.Errorf("a point at %g, %g is outside its frame", x, y)
		}
		if circles%3 > 0 && y >= last {
			t.Errorf("a greater figure is drawn at %g, below %g", y, last)
		}
		circles, last = circles+1, y
	}
	if circles != 18 {
		t.Errorf("%d points of 18", circles)
	}
}

func place(t *testing.T, e xml.StartElement, name string) float64 {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			v, err := strconv.ParseFloat(a.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no %s", name)
	return 0
}
