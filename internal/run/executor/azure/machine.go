package azure

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/maintenance/armmaintenance"
)

// Names of the services of Azure.
const (
	compute  = "Microsoft.Compute"
	sets     = "virtualMachineScaleSets"
	machines = "virtualMachines"
)

// tagVisit is the tag of a machine that a visit has protected: the ID of its order.
const tagVisit = "muster-visit"

// machine is a virtual machine, of a scale set or by itself.
type machine struct {
	subscription, group string
	set                 string // "": it is in none
	instance            string // its name, or its number in its set

	updates *armmaintenance.UpdatesClient
	applies *armmaintenance.ApplyUpdatesClient
	members *armcompute.VirtualMachineScaleSetVMsClient
}

func (m *machine) connect(who azcore.TokenCredential, o *arm.ClientOptions) error {
	var errs [3]error
	m.updates, errs[0] = armmaintenance.NewUpdatesClient(m.subscription, who, o)
	m.applies, errs[1] = armmaintenance.NewApplyUpdatesClient(m.subscription, who, o)
	m.members, errs[2] = armcompute.NewVirtualMachineScaleSetVMsClient(m.subscription, who, o)
	return errors.Join(errs[:]...)
}

func (m *machine) name() string {
	if m.set == "" {
		return m.group + "/" + m.instance
	}
	return m.group + "/" + m.set + "/" + m.instance
}

// standing reads all pages of what is pending: half a list could lack what is.
func (m *machine) standing(ctx context.Context) (standing, error) {
	list, err := m.pending(ctx)
	return standingOf(list), err
}

func (m *machine) pending(ctx context.Context) (list []*armmaintenance.Update, _ error) {
	if m.set == "" {
		for pager := m.updates.NewListPager(m.group, compute, machines, m.instance, nil); pager.More(); {
			page, err := pager.NextPage(ctx)
			if err != nil {
				return nil, err
			}
			list = append(list, page.Value...)
		}
		return list, nil
	}
	for pager := m.updates.NewListParentPager(m.group, compute, sets, m.set, machines, m.instance, nil); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Value...)
	}
	return list, nil
}

// apply lets Azure begin with what is pending.
func (m *machine) apply(ctx context.Context) error {
	if m.set == "" {
		_, err := m.applies.CreateOrUpdate(ctx, m.group, compute, machines, m.instance, nil)
		return err
	}
	_, err := m.applies.CreateOrUpdateParent(ctx, m.group, compute, sets, m.set, machines, m.instance, nil)
	return err
}

// protect keeps the machine's scale set from taking it away or changing it. A machine that people
// protect already is left as it is.
func (m *machine) protect(ctx context.Context, order string) error {
	return m.change(ctx, func(is *armcompute.VirtualMachineScaleSetVM) bool {
		p, tag := is.Properties.ProtectionPolicy, is.Tags[tagVisit]
		if tag != nil && *tag == order || tag == nil && p != nil && (yes(p.ProtectFromScaleIn) || yes(p.ProtectFromScaleSetActions)) {
			return false
		}
		is.Tags = maps.Clone(is.Tags)
		if is.Tags == nil {
			is.Tags = map[string]*string{}
		}
		is.Tags[tagVisit] = to.Ptr(order)
		is.Properties.ProtectionPolicy = &armcompute.VirtualMachineScaleSetVMProtectionPolicy{ProtectFromScaleIn: to.Ptr(true), ProtectFromScaleSetActions: to.Ptr(true)}
		return true
	})
}

// release takes the protection of an order away again, and no other one.
func (m *machine) release(ctx context.Context, order string) error {
	return m.change(ctx, func(is *armcompute.VirtualMachineScaleSetVM) bool {
		if tag := is.Tags[tagVisit]; tag == nil || *tag != order {
			return false
		}
		is.Tags = maps.Clone(is.Tags)
		delete(is.Tags, tagVisit)
		is.Properties.ProtectionPolicy = &armcompute.VirtualMachineScaleSetVMProtectionPolicy{ProtectFromScaleIn: to.Ptr(false), ProtectFromScaleSetActions: to.Ptr(false)}
		return true
	})
}

func yes(b *bool) bool { return b != nil && *b }

// change reads the machine of a scale set and writes it back, unless it was changed meanwhile.
func (m *machine) change(ctx context.Context, by func(*armcompute.VirtualMachineScaleSetVM) bool) error {
	if m.set == "" {
		return nil // nothing scales it
	}
	got, err := m.members.Get(ctx, m.group, m.set, m.instance, nil)
	if err != nil {
		return err
	}
	is := got.VirtualMachineScaleSetVM
	if is.Properties == nil {
		return fmt.Errorf("azure says nothing of machine %s", m.name())
	}
	if !by(&is) {
		return nil
	}
	poller, err := m.members.BeginUpdate(ctx, m.group, m.set, m.instance, is, &armcompute.VirtualMachineScaleSetVMsClientBeginUpdateOptions{IfMatch: is.Etag})
	if err != nil {
		return err
	}
	_, err = poller.PollUntilDone(ctx, nil)
	return err
}
