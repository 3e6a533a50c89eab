package server

import (
	"context"
	"errors"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/gitcheckin"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// checkedIn looks for records on the branch that counts, where one is named; nil: none is. What git says is told without
// the secrets of adapters.
func (s *server) checkedIn() func(context.Context, fleet.ClusterRecord) (string, error) {
	o := &s.Outside
	if o.CheckinRepository == "" {
		return nil
	}
	return func(ctx context.Context, r fleet.ClusterRecord) (string, error) {
		checkin, _, err := o.tokens()
		if err != nil {
			return "", err
		}
		limited, end := context.WithTimeout(ctx, provision.CallLimit)
		defer end()
		commit, err := o.checkin(checkin).Merged(limited, r)
		if err == nil {
			return commit, nil
		}
		said, wrong := o.masked(err.Error())
		if wrong != nil {
			return "", wrong
		}
		return "", errors.New(said)
	}
}

func (o *outsideOptions) checkin(token string) *gitcheckin.Checkin {
	return &gitcheckin.Checkin{Repository: o.CheckinRepository, Branch: o.CheckinBranch, Token: token}
}
