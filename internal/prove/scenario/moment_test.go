package scenario

import (
	"testing"
	"time"
)

func TestMomentsHoldEveryFigureAtEachExpectAndAtTheEnd(t *testing.T) {
	f, err := Parse("f", story(submitW, "{at: 1s, expect: [{workload: w, state: running}]}", "{at: 1h, cancel: w}", "{at: 2h, restart: true}"))
	if err != nil {
		t.Fatal(err)
	}
	f.Moments = true
	report, err := Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Moments) != 2 || report.Moments[0].Line == 0 || report.Moments[0].At != time.Second || report.Moments[1].Line != 0 || report.Moments[1].At != 2*time.Hour {
		t.Fatalf("got %v", report.Moments)
	}
	for i, want := range []map[string]any{
		{"workload w state": "running", "workload w gpus": 8, "workload w waited": time.Duration(0), "partition tiger/h200 flex": 72, "quota oak/leaf usage": 8},
		{"workload w state": "cancelled", "workload w gpus": 0, "partition tiger/h200 flex": 80, "quota oak/leaf usage": 0},
	} {
		got := map[string]any{}
		for _, r := range report.Moments[i].Rows {
			for _, a := range r.Figures {
				got[r.Subject+" "+r.Name+" "+a.Name] = a.Is
			}
		}
		for name, is := range want {
			if got[name] != is {
				t.Errorf("moment %d: %s is %v, want %v", i, name, got[name], is)
			}
		}
	}
}

func TestNoMomentsWithoutAsking(t *testing.T) {
	if report := told(t, submitW, "{at: 1s, expect: [{workload: w, state: running}]}"); report.Moments != nil {
		t.Errorf("got %v", report.Moments)
	}
}
