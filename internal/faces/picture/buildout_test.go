package picture

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// A pipeline waits for its check-in by a person, fails once, and runs again: each is a bar of its own,
// with what it was, how long, and where a person sees it. A condition whose turn has not come has no row.
func TestALifeShowsItsWaitsAndTries(t *testing.T) {
	begin := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	at := func(minutes int, events ...[2]string) *musterv1.Record {
		r := &musterv1.Record{At: timestamppb.New(begin.Add(time.Duration(minutes) * time.Minute))}
		for _, e := range events {
			r.Events = append(r.Events, &musterv1.Event{Kind: e[0], Data: e[1]})
		}
		return r
	}
	records := []*musterv1.Record{
		at(0, [2]string{"condition.changed", `{"cluster":"lynx","condition":"CheckedIn","status":"False","reason":"WaitsForCheckin","turn":true,"person":true}`},
			[2]string{"condition.changed", `{"cluster":"lynx","condition":"NodesReady","status":"False","reason":"NotYet"}`}),
		at(30, [2]string{"condition.changed", `{"cluster":"lynx","condition":"CheckedIn","status":"True","reason":"CheckedIn"}`},
			[2]string{"operation.intended", `{"cluster":"lynx","step":"pipeline","operation":"lynx.pipeline.g1.1","attempt":1}`},
			[2]string{"operation.intended", `{"cluster":"puma","step":"pipeline","operation":"puma.pipeline.g1.1","attempt":1}`}),
		at(40, [2]string{"operation.reported", `{"cluster":"lynx","step":"pipeline","state":"failed","link":"https://builds.example/1","error":"no route"}`}),
		at(45, [2]string{"operation.intended", `{"cluster":"lynx","step":"pipeline","operation":"lynx.pipeline.g1.2","attempt":2}`}),
		at(46, [2]string{"operation.reported", `{"cluster":"lynx","step":"pipeline","state":"running","link":"javascript:alert(1)"}`}),
	}
	now := begin.Add(time.Hour)
	c := &musterv1.GetClusterResponse{
		Cluster: &musterv1.ClusterLife{Record: &musterv1.ClusterRecord{Name: "lynx"}, Entered: timestamppb.New(begin)},
		Conditions: []*musterv1.ClusterCondition{
			{Type: "CheckedIn", Status: "True"},
			{Type: "BootstrapSucceeded", Status: "False", P50: timestamppb.New(now.Add(time.Minute)), P90: timestamppb.New(now.Add(10 * time.Minute)), Late: true},
			{Type: "NodesReady", Status: "False"},
		},
	}
	l := BuildoutOf(c, records, now)
	if len(l.Rows) != 2 || l.Rows[0].Name != "CheckedIn" || l.Rows[1].Name != "BootstrapSucceeded" {
		t.Fatalf("rows %+v", l.Rows)
	}
	if bars := l.Rows[0].Bars; len(bars) != 1 || bars[0].Ink != draw.Ask || !strings.Contains(bars[0].Says, "30m") {
		t.Errorf("the check-in is %+v", bars)
	}
	bars := l.Rows[1].Bars
	want := []draw.Ink{draw.Fault, draw.Wait, draw.Metal}
	if len(bars) != len(want) {
		t.Fatalf("the pipeline is %+v", bars)
	}
	for i, ink := range want {
		if bars[i].Ink != ink {
			t.Errorf("bar %d of the pipeline is %+v, not %s", i, bars[i], ink)
		}
	}
	if bars[0].Href != "https://builds.example/1" || bars[2].Href != "" || !strings.Contains(bars[0].Says, "try 1 failed: no route") || !bars[2].To.Equal(now) {
		t.Errorf("the tries of the pipeline are %+v", bars)
	}
	if n := l.Rows[1].Note; n != "30m, 2 tries, late" || !l.To.Equal(now.Add(10*time.Minute)) {
		t.Errorf("%q, up to %s", n, l.To)
	}
	svg := string(draw.StepRows("steps", "Steps of lynx", l.Rows, l.From, now, l.To, draw.Wide))
	for _, text := range []string{"https://builds.example/1", "waits for a person", "expected (p50 to p90)", "now", "try 2"} {
		if !strings.Contains(svg, text) {
			t.Errorf("the picture does not say %q", text)
		}
	}
}
