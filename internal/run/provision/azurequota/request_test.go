package azurequota_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/quota/armquota"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/quota/armquota/fake"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// desk takes requests for quota, as the SDK's own stand-in of the service does.
type desk struct {
	requests []*armquota.RequestDetails
	puts     []string // meters
	scope    string
	lost     bool // the next answer to a request
	broken   bool // the last page of the list
}

func (d *desk) put(_ context.Context, meter, scope string, body armquota.CurrentQuotaLimitBase, _ *armquota.ClientBeginCreateOrUpdateOptions) (
	p azfake.PollerResponder[armquota.ClientCreateOrUpdateResponse], e azfake.ErrorResponder,
) {
	d.puts, d.scope = append(d.puts, meter), scope
	d.add(meter, *body.Properties.Limit.(*armquota.LimitObject).Value, noon)
	if d.lost {
		d.lost = false
		e.SetError(errors.New("connection reset by peer"))
		return p, e
	}
	p.SetTerminalResponse(http.StatusOK, armquota.ClientCreateOrUpdateResponse{}, nil)
	return p, e
}

// add enters a request that is under way.
func (d *desk) add(meter string, limit int32, at time.Time) {
	d.requests = append(d.requests, &armquota.RequestDetails{Properties: &armquota.RequestProperties{
		RequestSubmitTime: &at,
		Value: []*armquota.SubRequest{{
			Name: &armquota.ResourceName{Value: &meter}, ProvisioningState: to.Ptr(armquota.QuotaRequestStateInProgress),
			Limit: &armquota.LimitObject{LimitObjectType: to.Ptr(armquota.LimitTypeLimitValue), Value: &limit},
		}},
	}})
}

// decide ends the newest request for a meter.
func (d *desk) decide(meter string, state armquota.QuotaRequestState, message string) {
	for _, r := range slices.Backward(d.requests) {
		if sub := r.Properties.Value[0]; *sub.Name.Value == meter {
			sub.ProvisioningState, sub.Message = &state, &message
			return
		}
	}
}

// list has a page for each request.
func (d *desk) list(string, *armquota.RequestStatusClientListOptions) (p azfake.PagerResponder[armquota.RequestStatusClientListResponse]) {
	for _, r := range append([]*armquota.RequestDetails{nil}, d.requests...) {
		p.AddPage(http.StatusOK, armquota.RequestStatusClientListResponse{RequestDetailsList: armquota.RequestDetailsList{Value: []*armquota.RequestDetails{r}}}, nil)
	}
	if d.broken {
		p.AddResponseError(http.StatusServiceUnavailable, "ServiceUnavailable")
	}
	return p
}

func openDesk(t *testing.T) (*desk, *azurequota.Requests) {
	t.Helper()
	d := &desk{}
	q := d.open(t)
	return d, q
}

// open is a way to the desk. After an error the stand-in goes on in the list where it stood,
// which the service does not: then another way begins at the start.
func (d *desk) open(t *testing.T) *azurequota.Requests {
	t.Helper()
	s := fake.ServerFactory{Server: fake.Server{BeginCreateOrUpdate: d.put}, RequestStatusServer: fake.RequestStatusServer{NewListPager: d.list}}
	q, err := azurequota.NewRequests(&azfake.TokenCredential{}, fake.NewServerFactoryTransport(&s), func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const family = "standardNDSH200v5Family"

func asksFor(limits ...provision.Limit) provision.Order {
	return provision.Order{
		ID: "lynx.quota.g1.1", Step: fleet.StepQuota, Generation: 1, Attempt: 1, Intended: fleet.InstantOf(noon), Limits: limits,
		Record: fleet.ClusterRecord{Name: "lynx", Provider: "azure", Subscription: "sub-1", Region: "eastus"},
	}
}

func both(cores int) provision.Order {
	return asksFor(provision.Limit{Meter: family, Cores: cores}, provision.Limit{Meter: "cores", Cores: cores})
}

func found(t *testing.T, q *azurequota.Requests, o provision.Order) provision.Report {
	t.Helper()
	is, found, err := q.Find(t.Context(), o)
	if !found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	return is
}

// Every limit is asked for once, and the operation ends when all are decided.
func TestARequestFromItsBeginningToItsEnd(t *testing.T) {
	d, q := openDesk(t)
	o := both(960)
	d.add(family, 960, noon.Add(-time.Hour)) // of an earlier operation
	d.add(family, 500, noon)                 // for less
	if _, found, err := q.Find(t.Context(), o); found || err != nil {
		t.Fatalf("before it began: found %v, %v", found, err)
	}
	if is, err := q.Begin(t.Context(), o); err != nil || is.State != fleet.OperationRunning {
		t.Fatalf("%+v, %v", is, err)
	}
	if !slices.Equal(d.puts, []string{family, "cores"}) || !strings.Contains(d.scope, "subscriptions/sub-1/providers/Microsoft.Compute/locations/eastus") {
		t.Errorf("asked for %v in %s", d.puts, d.scope)
	}
	d.decide(family, armquota.QuotaRequestStateSucceeded, "")
	if is := found(t, q, o); is.State != fleet.OperationRunning || is.Again != fleet.InstantOf(noon.Add(5*time.Minute)) {
		t.Errorf("one of two is decided: %+v", is)
	}
	d.decide("cores", armquota.QuotaRequestStateSucceeded, "")
	if is := found(t, q, o); is.State != fleet.OperationSucceeded || !strings.Contains(is.Detail, "a limit of 960 for cores") {
		t.Errorf("both are: %+v", is)
	}
	d.decide("cores", armquota.QuotaRequestStateFailed, "the region is short of capacity")
	if is := found(t, q, o); is.State != fleet.OperationFailed || is.Class != fleet.ErrorPerson || !strings.Contains(is.Error, "the region is short of capacity") {
		t.Errorf("one is refused: %+v", is)
	}
	if is := found(t, q, asksFor()); is.State != fleet.OperationSucceeded {
		t.Errorf("nothing is missing any more: %+v", is)
	}
}

// A long-running operation whose answer is lost is found in the list, and not begun again.
// Of a list that cannot be read whole nothing follows.
func TestALostRequestIsFound(t *testing.T) {
	d, q := openDesk(t)
	d.lost = true
	_, err := q.Begin(t.Context(), asksFor(provision.Limit{Meter: "cores", Cores: 960}))
	var no *provision.Refused
	if err == nil || errors.As(err, &no) {
		t.Fatalf("a lost answer is %v, and must not say that nothing has begun", err)
	}
	found(t, q, asksFor(provision.Limit{Meter: "cores", Cores: 960}))
	d.broken = true
	if _, is, err := q.Find(t.Context(), both(960)); is || err == nil {
		t.Errorf("half a list: found %v, %v", is, err)
	}
	if _, err := d.open(t).Begin(t.Context(), both(960)); err == nil || len(d.puts) != 1 {
		t.Errorf("half a list: asked for %v, %v", d.puts, err)
	}
	d.broken = false
	if _, err := d.open(t).Begin(t.Context(), both(960)); err != nil || !slices.Equal(d.puts, []string{"cores", family}) {
		t.Errorf("the rest is asked for: %v, %v", d.puts, err)
	}
}

// Limits that change while a request is under way are asked for anew; those that are the same are not.
func TestChangedLimitsAreAskedForAgain(t *testing.T) {
	d, q := openDesk(t)
	if _, err := q.Begin(t.Context(), both(960)); err != nil {
		t.Fatal(err)
	}
	more := asksFor(provision.Limit{Meter: family, Cores: 1920}, provision.Limit{Meter: "cores", Cores: 960})
	if _, found, err := q.Find(t.Context(), more); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	if _, err := q.Begin(t.Context(), more); err != nil || !slices.Equal(d.puts, []string{family, "cores", family}) {
		t.Errorf("asked for %v, %v", d.puts, err)
	}
	found(t, q, more)
}

// An answer that is no success says what is to be done, and how long to wait.
func TestRequestsThatAreRefusedHaveClasses(t *testing.T) {
	for _, c := range []struct {
		code  int
		after string
		class fleet.ErrorClass
		wait  time.Duration
		says  string
	}{
		{429, "42", fleet.ErrorWait, 42 * time.Second, "429"},
		{409, "", fleet.ErrorWait, 0, "409"},
		{403, "", fleet.ErrorPerson, 0, "role Quota Request Operator"},
		{404, "", fleet.ErrorFix, 0, "register the provider Microsoft.Quota"},
	} {
		header := http.Header{}
		if c.after != "" {
			header.Set("Retry-After", c.after)
		}
		q, _ := azurequota.NewRequests(&azfake.TokenCredential{}, slow{c.code, header}, time.Now)
		_, err := q.Begin(t.Context(), both(960))
		var no *provision.Refused
		if !errors.As(err, &no) || no.Class != c.class || no.After != c.wait || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d: %+v", c.code, err)
		}
	}
	q, _ := azurequota.NewRequests(&azfake.TokenCredential{}, slow{500, http.Header{}}, time.Now)
	_, err := q.Begin(t.Context(), both(960))
	var no *provision.Refused
	if err == nil || errors.As(err, &no) || strings.Contains(err.Error(), "\n") {
		t.Errorf("500: %v", err)
	}
}
