package azure_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	computefake "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/maintenance/armmaintenance"
	maintenancefake "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/maintenance/armmaintenance/fake"

	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/run/executor/azure"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const member = "azure:///subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/np/virtualMachines/3"

// cloud is Azure as the SDK's own stand-ins play it: one machine of a scale set, and what is pending for it.
type cloud struct {
	status   []armmaintenance.UpdateStatus
	vm       armcompute.VirtualMachineScaleSetVM
	applied  int
	forbids  bool
	lost     bool // the next answer to an apply is lost, though it is done
	machine  string
	provider azure.Provider
}

func newCloud() *cloud {
	c := &cloud{machine: member, status: []armmaintenance.UpdateStatus{armmaintenance.UpdateStatusPending}}
	c.vm = armcompute.VirtualMachineScaleSetVM{Location: to.Ptr("east"), Tags: map[string]*string{"team": to.Ptr("ops")}, Properties: &armcompute.VirtualMachineScaleSetVMProperties{}}
	c.provider = azure.Provider{
		Machine: func(context.Context, string, string) (string, error) { return c.machine, nil }, Who: &azfake.TokenCredential{}, Transport: c.transport(),
	}
	return c
}

// transport plays the three services that the executor asks.
func (c *cloud) transport() transport {
	updates := &maintenancefake.UpdatesServer{NewListParentPager: func(string, string, string, string, string, string, *armmaintenance.UpdatesClientListParentOptions) (p azfake.PagerResponder[armmaintenance.UpdatesClientListParentResponse]) {
		if c.forbids {
			p.AddResponseError(http.StatusForbidden, "AuthorizationFailed")
			return p
		}
		var list []*armmaintenance.Update
		for _, s := range c.status {
			list = append(list, &armmaintenance.Update{Status: to.Ptr(s), ImpactType: to.Ptr(armmaintenance.ImpactTypeRestart)})
		}
		p.AddPage(http.StatusOK, armmaintenance.UpdatesClientListParentResponse{ListUpdatesResult: armmaintenance.ListUpdatesResult{Value: list}}, nil)
		return p
	}}
	applies := &maintenancefake.ApplyUpdatesServer{CreateOrUpdateParent: func(_ context.Context, group, _, _, set, _, instance string, _ *armmaintenance.ApplyUpdatesClientCreateOrUpdateParentOptions) (r azfake.Responder[armmaintenance.ApplyUpdatesClientCreateOrUpdateParentResponse], e azfake.ErrorResponder) {
		if group+"/"+set+"/"+instance != "rg/np/3" || !protected(c.vm) {
			e.SetResponseError(http.StatusConflict, "NotProtected")
			return r, e
		}
		c.applied++
		c.status = []armmaintenance.UpdateStatus{armmaintenance.UpdateStatusInProgress}
		if c.lost {
			c.lost = false
			e.SetResponseError(http.StatusInternalServerError, "InternalServerError")
			return r, e
		}
		r.SetResponse(http.StatusCreated, armmaintenance.ApplyUpdatesClientCreateOrUpdateParentResponse{}, nil)
		return r, e
	}}
	members := &computefake.VirtualMachineScaleSetVMsServer{
		Get: func(context.Context, string, string, string, *armcompute.VirtualMachineScaleSetVMsClientGetOptions) (r azfake.Responder[armcompute.VirtualMachineScaleSetVMsClientGetResponse], _ azfake.ErrorResponder) {
			r.SetResponse(http.StatusOK, armcompute.VirtualMachineScaleSetVMsClientGetResponse{VirtualMachineScaleSetVM: c.vm}, nil)
			return r, azfake.ErrorResponder{}
		},
		BeginUpdate: func(_ context.Context, _, _, _ string, vm armcompute.VirtualMachineScaleSetVM, _ *armcompute.VirtualMachineScaleSetVMsClientBeginUpdateOptions) (r azfake.PollerResponder[armcompute.VirtualMachineScaleSetVMsClientUpdateResponse], _ azfake.ErrorResponder) {
			c.vm = vm
			r.SetTerminalResponse(http.StatusOK, armcompute.VirtualMachineScaleSetVMsClientUpdateResponse{VirtualMachineScaleSetVM: vm}, nil)
			return r, azfake.ErrorResponder{}
		},
	}
	return transport{
		updates: maintenancefake.NewUpdatesServerTransport(updates), applies: maintenancefake.NewApplyUpdatesServerTransport(applies),
		members: computefake.NewVirtualMachineScaleSetVMsServerTransport(members),
	}
}

// transport hands each call to the service that it is for.
type transport struct {
	updates *maintenancefake.UpdatesServerTransport
	applies *maintenancefake.ApplyUpdatesServerTransport
	members *computefake.VirtualMachineScaleSetVMsServerTransport
}

func (t transport) Do(r *http.Request) (*http.Response, error) {
	switch {
	case strings.Contains(r.URL.Path, "/applyUpdates"):
		return t.applies.Do(r)
	case strings.Contains(r.URL.Path, "Microsoft.Maintenance"):
		return t.updates.Do(r)
	}
	return t.members.Do(r)
}

func protected(vm armcompute.VirtualMachineScaleSetVM) bool {
	p := vm.Properties.ProtectionPolicy
	return p != nil && *p.ProtectFromScaleIn && *p.ProtectFromScaleSetActions
}

var order = executor.Order{ID: "7-n1-0", Cluster: "tiger", Node: "n1", Update: fleet.NodeUpdate{Name: "host"}}

// turn looks at an order as the runner does, and begins it where it has not begun.
func (c *cloud) turn(t *testing.T) (executor.Report, error) {
	t.Helper()
	is, found, err := c.provider.Find(t.Context(), order)
	if found || err != nil {
		return is, err
	}
	return c.provider.Begin(t.Context(), order)
}

// What is pending is applied once, on a machine that its scale set leaves alone meanwhile and no longer.
func TestPendingMaintenanceIsAppliedUnderProtection(t *testing.T) {
	c := newCloud()
	if is, err := c.turn(t); err != nil || is.State != executor.Running || c.applied != 1 || !protected(c.vm) || *c.vm.Tags["team"] != "ops" {
		t.Fatalf("%+v, %v, applied %d, %+v", is, err, c.applied, c.vm)
	}
	if is, err := c.turn(t); err != nil || is.State != executor.Running || c.applied != 1 || !protected(c.vm) {
		t.Errorf("at work: %+v, %v, applied %d", is, err, c.applied)
	}
	c.status = []armmaintenance.UpdateStatus{armmaintenance.UpdateStatusCompleted}
	if is, err := c.turn(t); err != nil || is.State != executor.Done || protected(c.vm) || !reflect.DeepEqual(c.vm.Tags, map[string]*string{"team": to.Ptr("ops")}) {
		t.Errorf("over: %+v, %v, %+v", is, err, c.vm.Tags)
	}
}

// An answer that is lost makes nothing be applied twice, and what is pending beside what is over counts.
func TestALostAnswerAppliesNothingTwice(t *testing.T) {
	c := newCloud()
	c.status, c.lost = []armmaintenance.UpdateStatus{armmaintenance.UpdateStatusCompleted, armmaintenance.UpdateStatusPending}, true
	if _, err := c.turn(t); err == nil || c.applied != 1 {
		t.Fatalf("%v, applied %d", err, c.applied)
	}
	if is, err := c.turn(t); err != nil || is.State != executor.Running || c.applied != 1 {
		t.Errorf("%+v, %v, applied %d", is, err, c.applied)
	}
}

// A machine that people protect stays protected.
func TestWhatPeopleProtectStaysSo(t *testing.T) {
	c := newCloud()
	c.vm.Properties.ProtectionPolicy = &armcompute.VirtualMachineScaleSetVMProtectionPolicy{ProtectFromScaleIn: to.Ptr(true), ProtectFromScaleSetActions: to.Ptr(true)}
	for range 2 {
		if _, err := c.turn(t); err != nil {
			t.Fatal(err)
		}
	}
	c.status = nil
	if is, err := c.turn(t); err != nil || is.State != executor.Done || !protected(c.vm) {
		t.Errorf("%+v, %v, protected %v", is, err, protected(c.vm))
	}
}

// What no second try mends is refused, and says what would be right.
func TestWhatCannotBeIsRefused(t *testing.T) {
	for want, set := range map[string]func(*cloud){
		"none of Azure's":               func(c *cloud) { c.machine = "aws:///us-east-1a/i-0" },
		"not a virtual machine":         func(c *cloud) { c.machine = strings.ReplaceAll(member, "virtualMachines/3", "extensions/3") },
		"virtualMachineScaleSets/virtu": func(c *cloud) { c.forbids = true },
	} {
		c := newCloud()
		set(c)
		_, err := c.turn(t)
		var no *executor.Refused
		if !errors.As(err, &no) || !strings.Contains(err.Error(), want) || c.applied != 0 {
			t.Errorf("%s: %v, applied %d", want, err, c.applied)
		}
	}
}
