package azurequota

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/quota/armquota"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of requests: how many of a region are read, how far Azure's clock may be behind
// this one, and how often one that is under way is looked at.
const (
	mostRequests = 2000
	skew         = 2 * time.Minute
	lookAgain    = 5 * time.Minute
)

// Requests asks Azure for quota. It implements provision.Outside for the step quota.
//
// A request has no name of the caller's. So one is found by what it asks for: the same meter,
// at least the same limit, submitted since the operation was intended. Asking twice for one
// limit changes nothing in Azure, either.
type Requests struct {
	quotas *armquota.Client
	status *armquota.RequestStatusClient
	now    func() time.Time
}

// NewRequests asks in the name of an identity. A transport takes the place of the network;
// nil: none does.
func NewRequests(who azcore.TokenCredential, transport policy.Transporter, now func() time.Time) (*Requests, error) {
	o := &arm.ClientOptions{ClientOptions: policy.ClientOptions{Transport: transport, Retry: policy.RetryOptions{MaxRetries: -1}}}
	quotas, err := armquota.NewClient(who, o)
	if err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	status, err := armquota.NewRequestStatusClient(who, o)
	if err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	return &Requests{quotas: quotas, status: status, now: now}, nil
}

// scope is the compute quota of a region of a subscription.
func scope(r *fleet.ClusterRecord) string {
	return "subscriptions/" + r.Subscription + "/providers/Microsoft.Compute/locations/" + r.Region
}

// asked is how the newest request for a limit stands.
type asked struct {
	at      time.Time
	state   armquota.QuotaRequestState
	message string
}

// Find looks the requests of an operation up. It has begun once every limit was asked for.
func (q *Requests) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	if len(o.Limits) == 0 {
		return provision.Report{State: fleet.OperationSucceeded, Detail: "no cores are missing any more"}, true, nil
	}
	list, err := q.list(ctx, o)
	if err != nil || len(list) < len(o.Limits) {
		return provision.Report{}, false, err
	}
	return q.report(o, list), true, nil
}

// Begin asks for the limits that were not asked for yet.
func (q *Requests) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	list, err := q.list(ctx, o)
	if err != nil {
		return provision.Report{}, err
	}
	for _, l := range o.Limits {
		if _, is := list[l.Meter]; is {
			continue
		}
		if err := q.request(ctx, o, l); err != nil {
			return provision.Report{}, err
		}
	}
	return provision.Report{State: fleet.OperationRunning, Detail: wanted(o), Again: q.again()}, nil
}

// Unblock does nothing: what a person of Azure decides is decided there.
func (q *Requests) Unblock(context.Context, provision.Order) error { return nil }

// Look says nothing: the cloud's count is what counts.
func (q *Requests) Look(context.Context, provision.Subject) ([]fleet.StepEvidence, error) {
	return nil, nil
}

func (q *Requests) again() fleet.Instant { return fleet.InstantOf(q.now().Add(lookAgain)) }

// request asks for one limit. What Azure answers later is found in its list of requests, so
// an answer that is lost on the way loses nothing.
func (q *Requests) request(ctx context.Context, o provision.Order, l provision.Limit) error {
	body := armquota.CurrentQuotaLimitBase{Properties: &armquota.Properties{
		Name:  &armquota.ResourceName{Value: to.Ptr(l.Meter)},
		Limit: &armquota.LimitObject{LimitObjectType: to.Ptr(armquota.LimitTypeLimitValue), Value: to.Ptr(int32(min(l.Cores, math.MaxInt32)))},
	}}
	_, err := q.quotas.BeginCreateOrUpdate(ctx, l.Meter, scope(&o.Record), body, nil)
	return requestRefusal(&o.Record, err)
}

// list is the newest request for each limit of an operation, by meter: all pages or none.
func (q *Requests) list(ctx context.Context, o provision.Order) (map[string]asked, error) {
	found, read := map[string]asked{}, 0
	since := o.Intended.Time().Add(-skew)
	options := &armquota.RequestStatusClientListOptions{Filter: to.Ptr("requestSubmitTime ge " + since.UTC().Format(time.RFC3339))}
	for pager := q.status.NewListPager(scope(&o.Record), options); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, requestRefusal(&o.Record, err)
		}
		for _, r := range page.Value {
			keep(found, o, r)
		}
		if read += len(page.Value); read > mostRequests {
			return nil, fmt.Errorf("azure lists more than %d quota requests of %s", mostRequests, o.Record.Account())
		}
	}
	return found, nil
}

// keep keeps what a request asks for, where it is a limit of the operation.
func keep(found map[string]asked, o provision.Order, r *armquota.RequestDetails) {
	if r == nil || r.Properties == nil || r.Properties.RequestSubmitTime == nil || r.Properties.RequestSubmitTime.Before(o.Intended.Time().Add(-skew)) {
		return
	}
	at := *r.Properties.RequestSubmitTime
	for _, sub := range r.Properties.Value {
		if sub == nil || sub.Name == nil || sub.Name.Value == nil || sub.ProvisioningState == nil {
			continue
		}
		limit, is := sub.Limit.(*armquota.LimitObject)
		for _, l := range o.Limits {
			if is && limit.Value != nil && l.Meter == *sub.Name.Value && int(*limit.Value) >= l.Cores && at.After(found[l.Meter].at) {
				found[l.Meter] = asked{at, *sub.ProvisioningState, says(sub, r)}
			}
		}
	}
}

// says is what Azure says of a request, in its own words.
func says(sub *armquota.SubRequest, r *armquota.RequestDetails) string {
	switch p := r.Properties; {
	case sub.Message != nil && *sub.Message != "":
		return *sub.Message
	case p.Error != nil && p.Error.Message != nil:
		return *p.Error.Message
	case p.Message != nil:
		return *p.Message
	}
	return ""
}

// report is how an operation stands of which every limit was asked for.
func (q *Requests) report(o provision.Order, list map[string]asked) provision.Report {
	r := provision.Report{State: fleet.OperationSucceeded, Detail: wanted(o)}
	for _, l := range o.Limits {
		switch is := list[l.Meter]; is.state {
		case armquota.QuotaRequestStateSucceeded:
		case armquota.QuotaRequestStateFailed, armquota.QuotaRequestStateInvalid:
			return provision.Report{
				State: fleet.OperationFailed, Class: fleet.ErrorPerson,
				Error: brief(fmt.Sprintf("azure refused a limit of %d for %s: %s; a support request may be needed", l.Cores, l.Meter, is.message)),
			}
		default:
			r.State, r.Again = fleet.OperationRunning, q.again()
		}
	}
	return r
}

// wanted says what is asked for.
func wanted(o provision.Order) string {
	var list []string
	for _, l := range o.Limits {
		list = append(list, fmt.Sprintf("a limit of %d for %s", l.Cores, l.Meter))
	}
	return strings.Join(list, ", ")
}

// requestRefusal says what an answer means that is no success. After a *provision.Refused no
// request was made; after other errors it is not known.
func requestRefusal(r *fleet.ClusterRecord, err error) error {
	var is *azcore.ResponseError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &is):
		return fmt.Errorf("azure could not be asked for quota in %s: %s", r.Account(), brief(err.Error()))
	}
	said := fmt.Errorf("azure answers with %d %s to a request for quota in %s", is.StatusCode, is.ErrorCode, r.Account())
	switch is.StatusCode {
	case http.StatusTooManyRequests, http.StatusConflict:
		return &provision.Refused{Class: fleet.ErrorWait, After: hint(is.RawResponse), Err: said}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &provision.Refused{Class: fleet.ErrorPerson, Err: fmt.Errorf("%w; the identity needs the role Quota Request Operator on the subscription", said)}
	case http.StatusNotFound, http.StatusBadRequest:
		return &provision.Refused{Class: fleet.ErrorFix, Err: fmt.Errorf("%w; register the provider Microsoft.Quota, or correct the subscription, the region or the meter", said)}
	}
	return said
}
