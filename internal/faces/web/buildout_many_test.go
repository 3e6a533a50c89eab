package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// built is the steps that are operations, in the order of a cluster's life.
var built = []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices}

// buildMany plans 1,000 clusters over 12 subscriptions and 20 regions, and brings them into
// all phases. Every eighth waits for cores; the others stand at a step each, with a failed
// try where it is an odd one. Some of those in production are being retired.
func (h *house) buildMany() *house {
	h.t.Helper()
	h.do(core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 96}, {Meter: "cores", PerNode: 96}}, Checkin: fleet.CheckinInventory, Mode: fleet.Shadow,
	}})
	var plans, counts core.Batch
	for i := range 1000 {
		r := fleet.ClusterRecord{Name: fmt.Sprintf("c%04d", i), Subscription: fmt.Sprint("s", i%12), Region: fmt.Sprint("r", i%20), GPU: "h200", Priority: fleet.Mid, Blueprint: "nd"}
		r.Islands = []fleet.RecordIsland{{Name: "a", Nodes: 4}}
		if i%8 == 7 { // in a subscription that never has enough
			r.Subscription = "full"
		}
		plans.Commands = append(plans.Commands, core.PlanCluster{Record: r})
		counts.Commands = append(counts.Commands, core.ReportCounts{Subscription: r.Subscription, Region: r.Region, Counts: []fleet.CloudCount{
			{Meter: "cores", Limit: 100_000}, {Meter: "nd", Limit: map[bool]int{true: 100, false: 100_000}[r.Subscription == "full"]},
		}})
	}
	h.do(plans, counts)
	h.clock.Add(int64(time.Minute))
	for i, step := range built {
		h.step(i, step)
	}
	var seen, retire core.Batch
	for i := range 1000 {
		name := fmt.Sprintf("c%04d", i)
		if steps := i % 8; steps == 5 || steps == 6 {
			c := core.ReportEvidence{Cluster: name}
			for _, step := range []fleet.Step{fleet.StepProjects, fleet.StepDependencies, fleet.StepHealth} {
				c.Seen = append(c.Seen, fleet.StepEvidence{Step: step, Holds: true, Generation: 1})
			}
			seen.Commands = append(seen.Commands, c)
		}
		if i%8 == 6 {
			retire.Commands = append(retire.Commands, core.SteerCluster{Cluster: name, Do: core.Retire})
		}
	}
	h.do(seen, retire)
	return h
}

// step lets a step of those clusters succeed that come so far, or fail where it is the last
// one of an odd one.
func (h *house) step(i int, step fleet.Step) {
	h.t.Helper()
	h.clock.Add(int64(time.Minute))
	var begun, ended core.Batch
	for k := range 1000 {
		steps, name := k%8, fmt.Sprintf("c%04d", k)
		if steps <= i || steps == 7 {
			continue
		}
		r := core.ReportOperation{Cluster: name, Step: step, ID: fmt.Sprintf("%s.%s.g1.1", name, step), State: fleet.OperationRunning}
		begun.Commands = append(begun.Commands, r)
		r.State = fleet.OperationSucceeded
		if k%16 > 8 && steps < 5 && i == steps-1 {
			r.State, r.Class, r.Error = fleet.OperationFailed, fleet.ErrorRetry, "AllocationFailed: try later"
		}
		ended.Commands = append(ended.Commands, r)
	}
	h.do(begun, ended)
}

// firstByte is how long an answer takes to begin, and its body.
func (h *house) firstByte(method, path, body string) (took time.Duration, text string) {
	h.t.Helper()
	began := time.Now()
	ctx := httptrace.WithClientTrace(h.t.Context(), &httptrace.ClientTrace{GotFirstResponseByte: func() { took = time.Since(began) }})
	r, err := http.NewRequestWithContext(ctx, method, h.server.URL+path, strings.NewReader(body))
	must(h.t, err)
	r.Header.Set("Content-Type", "application/json")
	answer, err := h.reader.Do(r)
	must(h.t, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	must(h.t, err)
	if answer.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %s %.300s", path, answer.Status, data)
	}
	return took, string(data)
}

// A thousand clusters in all phases are on the board in the blink of an eye, and so are their
// pages, the ledger and what programs ask.
func TestAThousandClustersAreOnTheBoard(t *testing.T) {
	h := open(t, nil).buildMany()
	for _, phase := range []string{"Planned", "Provisioning", "Provisioned", "InProduction", "Draining"} {
		_, page := h.firstByte("GET", "/build-out?phase="+phase, "")
		has(t, page, "c0")
	}
	_, page := h.firstByte("GET", "/build-out/c0001", "")
	has(t, page, "is planned: 4 nodes of h200", "NodesReady") // its own story, among a thousand
	const calls = "/muster.v1.BuildoutService/"
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/build-out", ""},
		{"GET", "/build-out?phase=InProduction", ""},
		{"GET", "/build-out/c0001", ""},
		{"GET", "/cloud-quota", ""},
		{"GET", "/coming", ""},
		{"GET", "/", ""},
		{"POST", calls + "ListClusters", "{}"},
		{"POST", calls + "GetCluster", `{"cluster": "c0001"}`},
		{"POST", calls + "CloudQuota", "{}"},
		{"GET", "/v1/inventory", ""},
	} {
		var all []time.Duration
		size := 0
		for range 11 {
			h.clock.Add(int64(time.Second)) // nothing is kept from the time before
			took, text := h.firstByte(c.method, c.path, c.body)
			all, size = append(all, took), len(text)
		}
		slices.Sort(all)
		t.Logf("%-40s first byte: median %8s, most %8s; %d bytes", c.path, all[5].Round(10*time.Microsecond), all[10].Round(10*time.Microsecond), size)
		if all[5] > 3*time.Second { // 100 ms on two quiet cores; this tells a page that grows with all clusters twice over from a busy machine
			t.Errorf("%s takes %s", c.path, all[5])
		}
	}
}
