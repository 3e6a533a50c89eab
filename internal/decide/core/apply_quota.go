package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyPeople(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.QuotaCreated:
		s.AddQuota(fleet.Quota{Path: e.Quota, Access: e.Access, Owner: e.Owner})
	case event.QuotaDeleted:
		s.RemoveQuota(e.Quota)
	case event.AccessSet:
		s.Quota(e.Quota).Access = e.Access
	case event.QuotaOwned:
		s.Quota(e.Quota).Owner = e.Owner
	case event.HoldPlaced:
		s.AddHold(e.Hold)
	case event.HoldEnded:
		s.EndHold(e.ID, e.Left)
	case event.RequestMade:
		s.AddRequest(e.Request)
	case event.RequestOffered:
		r := s.Request(e.ID)
		r.Offers = append(r.Offers, e.Offer)
	case event.RequestEnded:
		s.EndRequest(e.ID, e.State, e.By, e.Answer, at)
	case event.SubscriptionSet:
		s.SetSubscription(e.Subscription)
	case event.SubscriptionEnded:
		s.RemoveSubscription(e.Name)
	case event.BackingAligned:
		applyBacking(s.Partition(e.Partition), e, at)
	default:
		return applyGrants(s, e)
	}
	return true
}
