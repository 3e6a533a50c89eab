package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/maintenance/armmaintenance"

	"github.com/muster-fleet/muster/internal/run/executor"
)

// Provider applies pending maintenance. It implements executor.Executor.
type Provider struct {
	// Machine is the resource ID of a node's machine; "": the node is none of Azure's.
	Machine   func(ctx context.Context, cluster, node string) (string, error)
	Who       azcore.TokenCredential
	Transport policy.Transporter // nil: HTTPS
}

var _ executor.Executor = Provider{}

// standing is what Azure keeps for a machine.
type standing struct{ pending, applying bool }

// Find says how the maintenance of an order's node stands. Where nothing is pending there is nothing left to do.
func (p Provider) Find(ctx context.Context, o executor.Order) (executor.Report, bool, error) {
	m, err := p.machine(ctx, o)
	var no *executor.Refused
	if errors.As(err, &no) {
		return executor.Report{}, false, nil // Begin says so
	}
	if err != nil {
		return executor.Report{}, false, err
	}
	is, err := m.standing(ctx)
	switch {
	case err != nil:
		return executor.Report{}, false, refusal(m, err)
	case is.applying:
		return executor.Report{State: executor.Running}, true, nil
	case is.pending:
		return executor.Report{}, false, nil
	}
	return executor.Report{State: executor.Done}, true, refusal(m, m.release(ctx, o.ID))
}

// Begin protects the machine, and applies what is pending.
func (p Provider) Begin(ctx context.Context, o executor.Order) (executor.Report, error) {
	m, err := p.machine(ctx, o)
	if err != nil {
		return executor.Report{}, err
	}
	if err := m.protect(ctx, o.ID); err != nil {
		return executor.Report{}, refusal(m, err)
	}
	return executor.Report{State: executor.Running}, refusal(m, m.apply(ctx))
}

// machine is the one of an order's node, with the clients of its subscription.
func (p Provider) machine(ctx context.Context, o executor.Order) (*machine, error) {
	id, err := p.Machine(ctx, o.Cluster, o.Node)
	if err != nil {
		return nil, err
	}
	m, err := machineOf(id)
	if err != nil {
		return nil, &executor.Refused{Err: fmt.Errorf("node %s: %w", o.Node, err)}
	}
	// The SDK does not try again by itself: the next look does.
	options := &arm.ClientOptions{ClientOptions: policy.ClientOptions{Transport: p.Transport, Retry: policy.RetryOptions{MaxRetries: -1}}}
	err = m.connect(p.Who, options)
	return m, err
}

// refusal says of an error of Azure whether a second try may mend it, in one line.
func refusal(m *machine, err error) error {
	var is *azcore.ResponseError
	if !errors.As(err, &is) {
		return err
	}
	said := fmt.Errorf("azure answers with %d %s for the maintenance of %s", is.StatusCode, is.ErrorCode, m.name())
	switch is.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &executor.Refused{Err: fmt.Errorf("%w; the identity needs Microsoft.Maintenance/applyUpdates/write and Microsoft.Compute/virtualMachineScaleSets/virtualMachines/write there", said)}
	case http.StatusNotFound, http.StatusBadRequest:
		return &executor.Refused{Err: said}
	}
	return said
}

// standingOf is what a list of updates says.
func standingOf(list []*armmaintenance.Update) (is standing) {
	for _, u := range list {
		if u == nil || u.Status == nil {
			continue
		}
		switch *u.Status {
		case armmaintenance.UpdateStatusPending, armmaintenance.UpdateStatusRetryNow, armmaintenance.UpdateStatusRetryLater:
			is.pending = true
		case armmaintenance.UpdateStatusInProgress:
			is.applying = true
		case armmaintenance.UpdateStatusCompleted:
		}
	}
	return is
}

// scheme begins the ID that Kubernetes has of a machine of Azure.
const scheme = "azure://"

// machineOf reads the ID of a machine, as a node's spec.providerID says it.
func machineOf(id string) (*machine, error) {
	rest, azures := strings.CutPrefix(id, scheme)
	if !azures {
		return nil, fmt.Errorf("its machine %.200q is none of Azure's; an ID like azure:///subscriptions/… is", id)
	}
	is, err := arm.ParseResourceID(rest)
	if err != nil {
		return nil, fmt.Errorf("its machine %.200q: %w", id, err)
	}
	switch kind := strings.ToLower(is.ResourceType.String()); kind {
	case "microsoft.compute/virtualmachines":
		return &machine{subscription: is.SubscriptionID, group: is.ResourceGroupName, instance: is.Name}, nil
	case "microsoft.compute/virtualmachinescalesets/virtualmachines":
		return &machine{subscription: is.SubscriptionID, group: is.ResourceGroupName, set: is.Parent.Name, instance: is.Name}, nil
	default:
		return nil, fmt.Errorf("its machine is %s, and not a virtual machine", kind)
	}
}
