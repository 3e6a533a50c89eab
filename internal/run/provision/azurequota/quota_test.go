package azurequota_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func usage(meter string, limit int64, used int32) *armcompute.Usage {
	return &armcompute.Usage{Name: &armcompute.UsageName{Value: to.Ptr(meter)}, Limit: to.Ptr(limit), CurrentValue: to.Ptr(used), Unit: to.Ptr("Count")}
}

func page(list ...*armcompute.Usage) armcompute.UsageClientListResponse {
	return armcompute.UsageClientListResponse{ListUsagesResult: armcompute.ListUsagesResult{Value: list}}
}

// pager is what Azure answers to one list: the SDK's own stand-in of its service.
type pager = azfake.PagerResponder[armcompute.UsageClientListResponse]

// azure is a service that answers each list as it is told; the last answer stays.
func azure(asked *[]string, answers ...func(*pager)) *azurequota.Quota {
	s := fake.UsageServer{NewListPager: func(location string, _ *armcompute.UsageClientListOptions) (p pager) {
		*asked = append(*asked, location)
		answers[0](&p)
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return p
	}}
	return azurequota.New(&azfake.TokenCredential{}, fake.NewUsageServerTransport(&s))
}

// All pages count together, and a limit that changes is seen by the next count.
func TestAllPagesAreOneCount(t *testing.T) {
	var asked []string
	q := azure(&asked,
		func(p *pager) {
			p.AddPage(http.StatusOK, page(usage("cores", 1000, 96), usage("unlimited", -1, 3)), nil)
			p.AddPage(http.StatusOK, page(usage("standardNDSH200v5Family", 960, 96), nil), nil)
		},
		func(p *pager) {
			p.AddPage(http.StatusOK, page(usage("standardNDSH200v5Family", 1920, 96), usage("cores", 1000, 96)), nil)
		})
	got, err := q.Counts(t.Context(), "sub-1", "eastus")
	want := []fleet.CloudCount{{Meter: "cores", Limit: 1000, Used: 96}, {Meter: "standardNDSH200v5Family", Limit: 960, Used: 96}}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err = q.Counts(t.Context(), "sub-1", "eastus"); err != nil || got[0].Limit != 1920 {
		t.Errorf("the second count: %v, %v", got, err)
	}
	if !slices.Equal(asked, []string{"eastus", "eastus"}) {
		t.Errorf("asked for %v", asked)
	}
}

// Of pages that cannot all be read none counts: half a count would be a wrong one.
func TestHalfAListIsNoCount(t *testing.T) {
	var asked []string
	q := azure(&asked, func(p *pager) {
		p.AddPage(http.StatusOK, page(usage("cores", 1000, 96)), nil)
		p.AddResponseError(http.StatusInternalServerError, "InternalServerError")
	})
	if got, err := q.Counts(t.Context(), "sub-1", "eastus"); err == nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// slow is a network that answers a list with a status and headers of its own.
type slow struct {
	code   int
	header http.Header
}

func (s slow) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.code, Header: s.header, Body: http.NoBody, Request: r}, nil
}

// An answer that is no count says what is to be done, and how long to wait.
func TestRefusalsHaveClasses(t *testing.T) {
	for _, c := range []struct {
		code  int
		after string
		class fleet.ErrorClass
		wait  time.Duration
		says  string
	}{
		{429, "42", fleet.ErrorWait, 42 * time.Second, "429"},
		{503, "999999999", fleet.ErrorWait, time.Hour, "503"},
		{401, "", fleet.ErrorPerson, 0, "role Reader"},
		{403, "", fleet.ErrorPerson, 0, "role Reader"},
		{404, "", fleet.ErrorFix, 0, "the region of the record"},
	} {
		header := http.Header{}
		if c.after != "" {
			header.Set("Retry-After", c.after)
		}
		_, err := azurequota.New(&azfake.TokenCredential{}, slow{c.code, header}).Counts(t.Context(), "sub-1", "eastus")
		var no *provision.Refused
		if !errors.As(err, &no) || no.Class != c.class || no.After != c.wait || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d: %+v", c.code, err)
		}
	}
	_, err := azurequota.New(&azfake.TokenCredential{}, slow{500, http.Header{}}).Counts(t.Context(), "sub-1", "eastus")
	var no *provision.Refused
	if err == nil || errors.As(err, &no) || strings.Contains(err.Error(), "\n") {
		t.Errorf("500: %v", err)
	}
}

// failing is an identity that gets no token.
type failing struct{ err error }

func (f failing) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{}, f.err
}

// A machine without an identity says so in one line.
func TestNoIdentityIsSaid(t *testing.T) {
	const secret = "planted-secret-93b1"
	who := failing{errors.New("no token for this machine\nRESPONSE: " + secret)}
	_, err := azurequota.New(who, slow{200, http.Header{}}).Counts(t.Context(), "sub-1", "eastus")
	if err == nil || !strings.Contains(err.Error(), "no token for this machine") || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
}
