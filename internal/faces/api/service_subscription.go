package api

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Notifier is what the API needs of who delivers webhooks.
type Notifier interface {
	// Status says how a subscription's deliveries stand; false if nothing is known yet.
	Status(name string) (Deliveries, bool)
	// Secret is what a subscription's calls are signed with.
	Secret(s *fleet.Subscription) string
	// Test calls a subscription's URL once.
	Test(ctx context.Context, s *fleet.Subscription) error
	// Refuses says why no call can ever go to a URL; nil: one may.
	Refuses(url string) error
}

// Deliveries say how a subscription stands. Its fields are those of the
// notifier's own, so that one converts to the other.
type Deliveries struct {
	Delivered uint64
	Waiting   int
	Doubles   uint64
	Dropped   uint64
	Last      time.Time
	Failing   time.Time
	Error     string
	Cursor    uint64
}

// Subscribe sets a subscription, or replaces the one of its name.
func (s subscriptionService) Subscribe(ctx context.Context, m *musterv1.SubscribeRequest) (*musterv1.SubscribeResponse, error) {
	if s.notifier != nil {
		if err := s.notifier.Refuses(m.GetSubscription().GetUrl()); err != nil {
			return nil, &core.Refusal{Code: core.Invalid, Message: err.Error()}
		}
	}
	w, err := s.written(ctx, m, wire.ReadSubscription(m.GetSubscription()), nil)
	return &musterv1.SubscribeResponse{Written: w}, err
}

// Unsubscribe ends a subscription.
func (s subscriptionService) Unsubscribe(ctx context.Context, m *musterv1.UnsubscribeRequest) (*musterv1.UnsubscribeResponse, error) {
	w, err := s.written(ctx, m, core.Unsubscribe{Name: m.GetName()}, nil)
	return &musterv1.UnsubscribeResponse{Written: w}, err
}

// ListSubscriptions lists subscriptions, and how their deliveries stand.
func (s subscriptionService) ListSubscriptions(ctx context.Context, _ *musterv1.ListSubscriptionsRequest) (*musterv1.ListSubscriptionsResponse, error) {
	var list []fleet.Subscription
	s.engine.Look(func(state *fleet.State) {
		for _, sub := range state.Subscriptions {
			list = append(list, *sub)
		}
	})
	out := &musterv1.ListSubscriptionsResponse{}
	for _, sub := range list {
		out.Subscriptions = append(out.Subscriptions, s.subscription(sub, callerOf(ctx).may(access.ReadSecrets)))
	}
	return out, nil
}

func (s subscriptionService) subscription(sub fleet.Subscription, operator bool) *musterv1.Subscription {
	m := &musterv1.Subscription{
		Name: sub.Name, Url: sub.URL, Quota: sub.Quota, Namespace: sub.Namespace, Workload: sub.Workload, Cluster: sub.Cluster, Owner: sub.Owner, By: sub.By, Since: wire.Instant(sub.Since),
	}
	if !operator {
		m.Url = wire.Site(sub.URL)
	}
	for _, k := range sub.Kinds {
		m.Kinds = append(m.Kinds, string(k))
	}
	if s.notifier == nil {
		return m
	}
	if d, ok := s.notifier.Status(sub.Name); ok {
		m.Deliveries = &musterv1.Deliveries{
			Delivered: d.Delivered, Waiting: int32(d.Waiting), Doubles: d.Doubles, Dropped: d.Dropped, Last: stamp(d.Last), Failing: stamp(d.Failing), Error: d.Error,
		}
	}
	return m
}

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// GetSecret is what a subscription's calls are signed with.
func (s subscriptionService) GetSecret(ctx context.Context, m *musterv1.GetSecretRequest) (*musterv1.GetSecretResponse, error) {
	sub, err := s.named(m.GetName())
	if err != nil {
		return nil, err
	}
	s.note(ctx, audit.SecretRead, "the secret of subscription "+sub.Name)
	return &musterv1.GetSecretResponse{Secret: s.notifier.Secret(sub)}, nil
}

// TestSubscription calls a subscription's URL once.
func (s subscriptionService) TestSubscription(ctx context.Context, m *musterv1.TestSubscriptionRequest) (*musterv1.TestSubscriptionResponse, error) {
	sub, err := s.named(m.GetName())
	if err != nil {
		return nil, err
	}
	out := &musterv1.TestSubscriptionResponse{}
	if err := s.notifier.Test(ctx, sub); err != nil {
		out.Error = err.Error()
	}
	return out, nil
}

// named finds a subscription.
func (s subscriptionService) named(name string) (*fleet.Subscription, error) {
	if s.notifier == nil {
		return nil, &core.Refusal{Code: core.WrongState, Message: "this server delivers no webhooks"}
	}
	var found *fleet.Subscription
	s.engine.Look(func(state *fleet.State) {
		if sub := state.Subscription(name); sub != nil {
			c := *sub
			found = &c
		}
	})
	if found == nil {
		return nil, &core.Refusal{Code: core.NoSuchSubscription, Message: "there is no subscription " + name}
	}
	return found, nil
}
