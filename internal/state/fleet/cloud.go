package fleet

import (
	"cmp"
	"slices"
	"strings"
)

// CloudCount is what the cloud says of one meter.
type CloudCount struct {
	Meter string `json:"meter"`
	Limit int    `json:"limit"`
	Used  int    `json:"used"`
}

// ProviderHand is the provider of clusters whose machines people bring. No cloud counts
// their cores: a person says that they are there.
const ProviderHand = "hand"

// CloudAccount is what the cloud says of one subscription in one region.
type CloudAccount struct {
	Subscription string       `json:"subscription"`
	Region       string       `json:"region"`
	Counts       []CloudCount `json:"counts"` // in order of meter
	Read         Instant      `json:"read"`   // when it was last read, or seen to be the same
	Error        string       `json:"error,omitempty"`
	Class        ErrorClass   `json:"class,omitempty"` // of the error
}

// Name is SUBSCRIPTION/REGION.
func (a *CloudAccount) Name() string { return a.Subscription + "/" + a.Region }

// Count finds the count of a meter.
func (a *CloudAccount) Count(meter string) (CloudCount, bool) {
	if a != nil {
		for _, c := range a.Counts {
			if c.Meter == meter {
				return c, true
			}
		}
	}
	return CloudCount{}, false
}

// CloudAccount finds a cloud account by its name, or nil.
func (s *State) CloudAccount(name string) *CloudAccount {
	for _, a := range s.Accounts {
		if a.is(name) {
			return a
		}
	}
	return nil
}

// is says whether this is the account's name.
func (a *CloudAccount) is(name string) bool {
	n := len(a.Subscription)
	return len(name) == n+1+len(a.Region) && name[:n] == a.Subscription && name[n] == '/' && name[n+1:] == a.Region
}

// SetCloudAccount keeps what the cloud says of an account. Where it could not be read, what was
// known stays, as old as it is.
func (s *State) SetCloudAccount(a CloudAccount) {
	slices.SortFunc(a.Counts, func(x, y CloudCount) int { return cmp.Compare(x.Meter, y.Meter) })
	s.TouchAccount(a.Name())
	if is := s.CloudAccount(a.Name()); is != nil {
		if a.Error != "" {
			a.Counts, a.Read = is.Counts, is.Read
		}
		*is = a
		return
	}
	if a.Error != "" {
		a.Read = 0 // nothing is known yet
	}
	s.Accounts = append(s.Accounts, &a)
	slices.SortFunc(s.Accounts, func(x, y *CloudAccount) int { return strings.Compare(x.Name(), y.Name()) })
}

func cloneAccounts(list []*CloudAccount) []*CloudAccount {
	copied := clonePointers(list)
	for _, a := range copied {
		a.Counts = slices.Clone(a.Counts)
	}
	return copied
}
