package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// whoamiOptions are those of `muster whoami`.
type whoamiOptions struct {
	*app
	reading
}

func newWhoami(a *app) *cobra.Command {
	o := &whoamiOptions{app: a}
	return &cobra.Command{
		Use:   "whoami",
		Short: "who you are to the server: user, groups, roles, namespaces, quotas",
		Long: `Whoami says as whom the server knows you, which groups your sign-in brings, which roles you have and where,
which namespaces you may submit into, which quotas you may target, and which server it is. Roles are given with muster role grant.`,
		Example: "  muster whoami\n  muster whoami -o json",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
}

func (o *whoamiOptions) ask(ctx context.Context) (answer, error) {
	s, err := o.client().System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true})
	if err != nil {
		return answer{}, err
	}
	t := newTable("", column{head: "ACTOR"}, column{head: "USER"}, column{head: "OPERATOR"}, column{head: "GROUPS"}, column{head: "ROLES"}, column{head: "NAMESPACES"})
	t.add(s.GetActor(), s.GetUser(), s.GetOperator(), s.GetGroups(), s.GetRoles(), s.GetNamespaces())
	c := o.callerOf(s)
	quotas, err := o.client().Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{}) // who may not read them is told the rest
	work := o.ownWork(ctx, c.user)
	return answer{message: identity(s), rows: t, lead: func(p *page) {
		p.whoami(s)
		if err == nil {
			p.quotasOf(c, quotas.GetQuotas())
		}
		p.targetsOf(work)
		p.say("server      %s%s", o.server, behind(s))
	}}, nil
}

// identity is what of a status is about the caller.
func identity(s *musterv1.StatusResponse) *musterv1.StatusResponse {
	var own []*musterv1.Warning
	if w := brokeGlass(s); w != nil {
		own = append(own, w)
	}
	return &musterv1.StatusResponse{
		Seen: s.GetSeen(), Actor: s.GetActor(), Operator: s.GetOperator(), Roles: s.GetRoles(), Leader: s.GetLeader(),
		User: s.GetUser(), Groups: s.GetGroups(), Namespaces: s.GetNamespaces(), Warnings: own,
	}
}

// brokeGlass is the warning that the caller broke the glass, while it stands; nil: the caller did not.
func brokeGlass(s *musterv1.StatusResponse) *musterv1.Warning {
	for _, w := range s.GetWarnings() {
		if strings.HasPrefix(w.GetKey(), "glass "+s.GetActor()+" ") {
			return w
		}
	}
	return nil
}

// ofGlass is what a person who broke the glass may do, and until when.
func (p *page) ofGlass(s *musterv1.StatusResponse, w *musterv1.Warning) {
	p.wrapAs("roles       ", p.paint.paint(bad, "admin until "+p.moment(w.GetUntil().AsTime()))+", for you broke the glass: "+w.GetReason())
	rest := slices.DeleteFunc(slices.Clone(s.GetRoles()), func(role string) bool { return role == "admin in the fleet" })
	p.listed("after that  ", rest, "none: you may read what is open to all")
}

func (p *page) whoami(s *musterv1.StatusResponse) {
	p.say("you         %s", p.paint.paint(strong, s.GetActor()))
	p.listed("groups      ", s.GetGroups(), "none")
	switch w := brokeGlass(s); {
	case w != nil:
		p.ofGlass(s, w)
	case s.GetOperator():
		p.say("roles       operator: everything is allowed")
	default:
		p.listed("roles       ", s.GetRoles(), "none: you may read what is open to all")
	}
	switch {
	case s.GetOperator() && len(s.GetNamespaces()) == 0:
		p.say("namespaces  all")
	default:
		p.listed("namespaces  ", s.GetNamespaces(), "none that you were given a role in")
	}
}

// listed says names after a word, or that there are none.
func (p *page) listed(begin string, names []string, none string) {
	if len(names) == 0 {
		p.say("%s%s", begin, none)
		return
	}
	p.wrapAs(begin, strings.Join(names, ", "))
}
