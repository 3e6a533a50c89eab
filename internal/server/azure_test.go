package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A server that is set up for clusters of Azure has an adapter for every step of their lives: with
// one missing, none of them would ever reach production.
func TestEveryStepOfAClusterOfAzureHasAnAdapter(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	t.Setenv("AZURE_CLIENT_ID", "c1")
	t.Setenv("AZURE_TENANT_ID", "t1")
	t.Setenv("AZURE_CLIENT_SECRET", "of-the-test")
	s := &server{backend: &backend{reconcilers: &multiCluster{}}}
	s.Outside = outsideOptions{
		CheckinRepository: folder, BuildkiteToken: write("token", "bkua-of-the-test"), Azure: true,
		ScaleSets: scaleSetOptions{Templates: folder, Kubeconfig: write("kubeconfig", `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]}`)},
	}
	adapters, _, err := s.Outside.adapters()
	if err != nil {
		t.Fatal(err)
	}
	by, err := s.azureSteps(adapters, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range fleet.Steps() {
		if by[step] == nil {
			t.Errorf("step %s has no adapter", step)
		}
	}
	if _, is := by[fleet.StepProjects].(buildkite.Projects); !is {
		t.Errorf("projects are looked at by %T", by[fleet.StepProjects])
	}
}

// willing is an outside that begins anything.
type willing struct{ provision.ByHand }

func (willing) Begin(_ context.Context, o provision.Order) (provision.Report, error) {
	return provision.Report{Detail: string(o.Step) + " has begun"}, nil
}

// What runs projects makes machines, too: no runner begins on cores that the blueprint does not reserve.
func TestNoRunnerBeginsOnCoresThatAreNotReserved(t *testing.T) {
	cloud := &azureCloud{}
	o := outsideOptions{Azure: true, standIns: cloud.standIns("")}
	outside, err := o.metered(provision.ByRunner{Rest: willing{}, Runners: map[string]provision.Outside{tofu.Word: willing{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, runner := range []string{tofu.Word, "buildkite:acme/clusters"} {
		order := provision.Order{
			Step: fleet.StepPipeline, Record: fleet.ClusterRecord{Name: "lynx", Subscription: "s1", Region: "eastus", SKU: "Standard_ND96isr_H200_v5"},
			Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Runner: runner, Meters: []fleet.Meter{{Meter: "cores", PerNode: 96}}},
		}
		if is, err := outside.Begin(t.Context(), order); err == nil || !strings.Contains(err.Error(), "counts against meter standardNDSH200v5Family") {
			t.Errorf("%s without the meter: %+v, %v", runner, is, err)
		}
		order.Blueprint.Meters = append(order.Blueprint.Meters, fleet.Meter{Meter: "standardNDSH200v5Family", PerNode: 96})
		if is, err := outside.Begin(t.Context(), order); err != nil || is.Detail != "pipeline has begun" {
			t.Errorf("%s with it: %+v, %v", runner, is, err)
		}
	}
}

// A server that is a process of its own reaches the stand-in of Azure over the wire. While that
// answers 429 the account is left alone, and while it answers 500 it is asked again.
func TestAzureIsAwayForAWhile(t *testing.T) {
	a := &azureCloud{}
	a.grant(600)
	q := azurequota.New(&azfake.TokenCredential{}, azureAt(a.serve(t)))
	for _, status := range []int{0, http.StatusTooManyRequests, http.StatusInternalServerError, 0} {
		a.only.Store(int64(status))
		list, err := q.Counts(t.Context(), "s1", "eastus")
		var no *provision.Refused
		throttled := errors.As(err, &no) && no.Class == fleet.ErrorWait
		switch {
		case status == 0 && (err != nil || len(list) != 2 || list[0].Limit != 600):
			t.Errorf("it counts %+v, %v", list, err)
		case status != 0 && (err == nil || throttled != (status == http.StatusTooManyRequests)):
			t.Errorf("%d: it counts %+v, %v", status, list, err)
		}
	}
}
