package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// caller is who access lists may name: the user, its groups, and its namespaces.
type caller struct {
	user               string
	groups, namespaces []string
}

// callerOf is who the server takes the caller for, with the namespace in which commands submit.
func (a *app) callerOf(s *musterv1.StatusResponse) caller {
	c := caller{s.GetUser(), s.GetGroups(), s.GetNamespaces()}
	if c.user == "" {
		c.user = a.ownName()
	}
	return caller{c.user, c.groups, append(slices.Clone(c.namespaces), (&naming{}).home(a))}
}

// named says whether an access list names the caller, a group or a namespace of it.
func (c caller) named(access *musterv1.Access) bool {
	namespace := func(entry string) bool { // written cluster/namespace, or namespace for every cluster
		return slices.Contains(c.namespaces, entry[strings.LastIndexByte(entry, '/')+1:])
	}
	return slices.Contains(access.GetUsers(), c.user) || slices.ContainsFunc(access.GetNamespaces(), namespace) ||
		slices.ContainsFunc(access.GetGroups(), func(g string) bool { return slices.Contains(c.groups, g) })
}

// mine parts quotas into those whose access list names the caller, and the paths of those with
// grants that everybody may target.
func (c caller) mine(quotas []*musterv1.Quota) (own []*musterv1.Quota, open []string) {
	for _, q := range quotas {
		switch {
		case c.named(q.GetAccess()):
			own = append(own, q)
		case q.GetOpen() && len(q.GetGrants()) > 0:
			open = append(open, q.GetPath())
		}
	}
	return own, open
}

// mineAnswer lists the quotas that are the caller's, and names those that everybody may target.
func (o *quotaListOptions) mineAnswer(ctx context.Context, res *musterv1.ListQuotasResponse) (answer, error) {
	s, err := o.client().System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true})
	if err != nil {
		return answer{}, err
	}
	own, open := o.callerOf(s).mine(res.GetQuotas())
	res.Quotas = own
	t := quotaTable(own)
	t.empty = "No access list of a quota names you, a group or a namespace of yours; muster whoami says which those are."
	return answer{message: res, table: t, tail: func(p *page) {
		p.bare(own)
		if len(open) > 0 {
			p.say("")
			p.wrapAs("", "Open to everyone, so to you: "+words.Few(open, 8))
		}
	}}, nil
}

// quotasOf says which quotas a caller may target, in a line of whoami.
func (p *page) quotasOf(c caller, quotas []*musterv1.Quota) {
	own, open := c.mine(quotas)
	var parts []string
	for _, q := range own {
		parts = append(parts, q.GetPath())
	}
	switch {
	case len(own) == 0 && len(open) == 0:
		p.say("quotas      none names you, and none is open to everyone")
	case len(own) == 0:
		p.wrapAs("quotas      ", "none names you; open to everyone: "+words.Few(open, 8))
	case len(open) == 0:
		p.wrapAs("quotas      ", words.Few(parts, 8))
	default:
		p.wrapAs("quotas      ", words.Few(parts, 8)+"; open to everyone: "+words.Few(open, 8))
	}
}

// ownWork is the work of a user that waits or runs; none, where that cannot be had.
func (a *app) ownWork(ctx context.Context, user string) []*musterv1.Workload {
	res, err := a.client().Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{User: user})
	if user == "" || err != nil {
		return nil
	}
	return res.GetWorkloads()
}

// targetsOf says which targets the work of a caller has, in a line of whoami.
func (p *page) targetsOf(work []*musterv1.Workload) {
	count, targets := map[string]int{}, []string{}
	for _, w := range work {
		count[w.GetSpec().GetTarget()]++
	}
	for _, target := range slices.Sorted(maps.Keys(count)) {
		targets = append(targets, fmt.Sprintf("%s (%s)", target, words.Count(count[target], "workload")))
	}
	if len(targets) > 0 {
		p.wrapAs("your work   ", words.Few(targets, 8))
	}
}
