package azurequota

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of a count.
const (
	mostMeters = 1000
	longest    = time.Hour // that a hint to wait is believed
)

// Quota counts. It implements provision.Cloud.
type Quota struct {
	who       azcore.TokenCredential
	transport policy.Transporter // nil: HTTPS

	mu      sync.Mutex
	clients map[string]*armcompute.UsageClient // by subscription
}

// New counts in the name of an identity. A transport takes the place of the network; nil: none does.
func New(who azcore.TokenCredential, transport policy.Transporter) *Quota {
	return &Quota{who: who, transport: transport, clients: map[string]*armcompute.UsageClient{}}
}

// client is the one of a subscription. It does not try again by itself: the next count does.
func (q *Quota) client(subscription string) (*armcompute.UsageClient, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c := q.clients[subscription]; c != nil {
		return c, nil
	}
	c, err := armcompute.NewUsageClient(subscription, q.who, &arm.ClientOptions{
		ClientOptions: policy.ClientOptions{Transport: q.transport, Retry: policy.RetryOptions{MaxRetries: -1}},
	})
	if err == nil {
		q.clients[subscription] = c
	}
	return c, err
}

// Counts reads all meters of a subscription in a region.
func (q *Quota) Counts(ctx context.Context, subscription, region string) (list []fleet.CloudCount, _ error) {
	c, err := q.client(subscription)
	if err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	for pager := c.NewListPager(region, nil); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, refusal(subscription, region, err)
		}
		for _, u := range page.Value {
			if n, ok := count(u); ok {
				list = append(list, n)
			}
		}
		if len(list) > mostMeters {
			return nil, fmt.Errorf("azure counts more than %d meters of %s in %s", mostMeters, subscription, region)
		}
	}
	return list, nil
}

// count is one meter; false: it is none that has a limit.
func count(u *armcompute.Usage) (fleet.CloudCount, bool) {
	if u == nil || u.Name == nil || u.Name.Value == nil || u.Limit == nil || u.CurrentValue == nil || *u.Limit < 0 {
		return fleet.CloudCount{}, false
	}
	return fleet.CloudCount{Meter: *u.Name.Value, Limit: int(min(*u.Limit, math.MaxInt32)), Used: int(max(0, *u.CurrentValue))}, true
}

// refusal says what an answer means that is no count, in one line.
func refusal(subscription, region string, err error) error {
	var is *azcore.ResponseError
	if !errors.As(err, &is) {
		return fmt.Errorf("azure could not be asked for the usage of %s in %s: %s", subscription, region, brief(err.Error()))
	}
	said := fmt.Errorf("azure answers with %d %s for the usage of %s in %s", is.StatusCode, is.ErrorCode, subscription, region)
	switch is.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &provision.Refused{Class: fleet.ErrorWait, After: hint(is.RawResponse), Err: said}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &provision.Refused{Class: fleet.ErrorPerson, Err: fmt.Errorf("%w; the identity needs the role Reader on the subscription", said)}
	case http.StatusNotFound, http.StatusBadRequest:
		return &provision.Refused{Class: fleet.ErrorFix, Err: fmt.Errorf("%w; correct the subscription or the region of the record", said)}
	}
	return said
}

// hint is when Azure wants to be asked again.
func hint(r *http.Response) time.Duration {
	if r == nil {
		return 0
	}
	if n, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && n > 0 {
		return min(longest, time.Duration(min(n, 1<<20))*time.Second)
	}
	if at, err := http.ParseTime(r.Header.Get("Retry-After")); err == nil {
		return max(0, min(longest, time.Until(at)))
	}
	return 0
}

// brief is the first line of a text: the SDK adds requests and answers below it.
func brief(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line[:min(len(line), 300)], " .:")
}
