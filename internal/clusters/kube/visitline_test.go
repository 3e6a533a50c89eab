package kube

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// throughAgent are the visits' Jobs of a yard, made through the door of its cluster's agent.
func throughAgent(t *testing.T, jobs VisitJobs, mode Mode, change func([]byte) []byte) VisitJobs {
	t.Helper()
	inside, err := jobs.Reach("tiger")
	if err != nil {
		t.Fatal(err)
	}
	outside := agentOf(t, &Building{Reach: func(string) *Client { return inside }}, mode, change).Reach("tiger")
	return VisitJobs{Reach: func(string) (*Client, error) { return outside, nil }}
}

var overLine = executor.Order{ID: "7-n1-0", Cluster: "tiger", Node: "n1", Update: fleet.NodeUpdate{
	Name: "driver-580", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Lasts: time.Hour,
}}

// An agent lets a visit's Job be made as its cluster's own template says, once, and none that is different in any part.
func TestAVisitsJobIsMadeOverAnAgentsLine(t *testing.T) {
	y, jobs := newYard(t)
	agent := throughAgent(t, jobs, Mode{Manage: true}, nil)
	for range 2 {
		if is, err := agent.Begin(t.Context(), overLine); err != nil || is.State != executor.Running || len(y.made) != 1 {
			t.Fatalf("%+v, %v, made %v", is, err, y.made)
		}
	}
	if is, found, err := agent.Find(t.Context(), overLine); err != nil || !found || is.State != executor.Running {
		t.Errorf("%+v, %v, %v", is, found, err)
	}
	edit := func(fn func(job object)) func([]byte) []byte {
		return func(data []byte) []byte {
			var job object
			if err := json.Unmarshal(data, &job); err != nil {
				t.Error(err)
			}
			fn(job)
			data, _ = json.Marshal(job)
			return data
		}
	}
	notes := func(job object) object { return job["metadata"].(object)["annotations"].(object) }
	for what, change := range map[string]func([]byte) []byte{
		"another image":    func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("driver:580"), []byte("evil:1")) },
		"another visit":    edit(func(job object) { notes(job)["muster.dev/visit"] = "8-n1-0" }),
		"another template": edit(func(job object) { notes(job)["muster.dev/update"] = "../secrets/x" }),
		"no node":          edit(func(job object) { delete(notes(job), "muster.dev/node") }),
		"for ever":         edit(func(job object) { delete(job["spec"].(object), "activeDeadlineSeconds") }),
		"a label":          edit(func(job object) { job["metadata"].(object)["labels"].(object)["app"] = "x" }),
		"no JSON":          func([]byte) []byte { return []byte("{") },
	} {
		y, jobs := newYard(t)
		if _, err := throughAgent(t, jobs, Mode{Manage: true}, change).Begin(t.Context(), overLine); err == nil || len(y.made) > 0 {
			t.Errorf("%s: %v, made %v", what, err, y.made)
		}
	}
	y, jobs = newYard(t)
	if _, err := throughAgent(t, jobs, Mode{}, nil).Begin(t.Context(), overLine); err == nil || len(y.made) > 0 {
		t.Errorf("where nothing may be written: %v, made %v", err, y.made)
	}
}
