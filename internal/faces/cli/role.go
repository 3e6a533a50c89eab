package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newRole(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "role", Aliases: []string{"roles"},
		Short: "who may do what: grant, revoke, list, table, break-glass",
	}
	return group(cmd, newRoleGrant(a), newRoleRevoke(a), newRoleList(a), newRoleTable(a), newBreakGlass(a))
}

// roleOptions are those of granting and revoking a role.
type roleOptions struct {
	*app
	writing
	scope   musterv1.Scope
	highest string
	until   span
}

// binding is what the arguments and flags say.
func (o *roleOptions) binding(args []string) *musterv1.RoleBinding {
	b := &musterv1.RoleBinding{Role: args[0], Subject: args[1], Scope: &o.scope, Highest: o.highest}
	if o.until.set {
		b.Until = timestamppb.New(time.Now().Add(o.until.d))
	}
	return b
}

// where is the scope in words.
func (o *roleOptions) where() string {
	if o.scope.Namespace+o.scope.Quota+o.scope.Cluster == "" {
		return "the whole fleet"
	}
	return scopeText(&o.scope)
}

func (o *roleOptions) flags(cmd *cobra.Command) {
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.scope.Namespace, "namespace", "n", "", "in this namespace")
	f.StringVar(&o.scope.Quota, "quota", "", "in this quota and those below it")
	f.StringVar(&o.scope.Cluster, "cluster", "", "in this cluster")
}

func newRoleGrant(a *app) *cobra.Command {
	o := &roleOptions{app: a}
	cmd := &cobra.Command{
		Use:   "grant ROLE SUBJECT",
		Short: "give a user, a group or a service account a role in a scope",
		Long: `Grant gives user:NAME, group:NAME, serviceaccount:NAME or kubernetes:NAMESPACE/NAME@CLUSTER (a service
account of a Kubernetes cluster) a role: in a namespace, in a quota and those below it, in a cluster, or in
the whole fleet where no scope is named. It needs a reason. The roles are
viewer, researcher, team-lead, quota-owner, monitor, fleet-engineer, manager, builder, auditor, admin and
break-glass; muster role table says what each may do.`,
		Example: "  muster role grant researcher group:oak -n oak --reason \"the team of project oak\"\n  muster role grant monitor serviceaccount:dcgm --cluster tiger --reason \"its exporter\"",
		Args:    needs(2, 2, "a role and a subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Access.GrantRole(ctx, &musterv1.GrantRoleRequest{Write: o.writing.message(), Binding: o.binding(args)})
				return res.GetWritten(), err
			}, args[1]+" has role "+args[0]+" in "+o.where())
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.highest, "highest", "", "the most important priority that work may have by it: critical, high, mid or low")
	cmd.Flags().Var(&o.until, "for", "end it by itself after so long, as in 8h or 30d")
	return cmd
}

func newRoleRevoke(a *app) *cobra.Command {
	o := &roleOptions{app: a}
	cmd := &cobra.Command{
		Use: "revoke ROLE SUBJECT", Short: "take a role away",
		Example: "  muster role revoke researcher user:ada --reason 'she left the team'",
		Args:    needs(2, 2, "a role and a subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Access.RevokeRole(ctx, &musterv1.RevokeRoleRequest{Write: o.writing.message(), Binding: o.binding(args)})
				return res.GetWritten(), err
			}, args[1]+" no longer has role "+args[0]+" in "+o.where())
		},
	}
	o.flags(cmd)
	return cmd
}

func newRoleList(a *app) *cobra.Command {
	ask := &musterv1.ListRolesRequest{}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list who has which role; without the role auditor, your own",
		Example: "  muster role list",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.listRoles(cmd.Context(), ask)
		},
	}
	cmd.Flags().StringVar(&ask.Subject, "subject", "", "of this user:NAME, group:NAME, serviceaccount:NAME or kubernetes:NAMESPACE/NAME@CLUSTER alone")
	cmd.Flags().StringVar(&ask.Role, "role", "", "of this role alone")
	return cmd
}

func (a *app) listRoles(ctx context.Context, ask *musterv1.ListRolesRequest) error {
	ctx, end := a.within(ctx)
	defer end()
	res, err := a.client().Access.ListRoles(ctx, ask)
	if err != nil {
		return err
	}
	t := newTable("No role is bound that you may see.",
		column{head: "SUBJECT", name: true}, column{head: "ROLE"}, column{head: "SCOPE"}, column{head: "HIGHEST"}, column{head: "UNTIL"}, column{head: "BY", spare: true}, column{head: "REASON", folds: true, spare: true})
	for _, b := range res.GetBindings() {
		t.add(b.GetSubject(), b.GetRole(), scopeText(b.GetScope()), b.GetHighest(), b.GetUntil(), b.GetBy(), b.GetReason())
	}
	return a.print(a.Out, answer{message: res, table: t})
}

func scopeText(s *musterv1.Scope) string {
	switch {
	case s.GetNamespace() != "":
		return "namespace " + s.GetNamespace()
	case s.GetQuota() != "":
		return "quota " + s.GetQuota()
	case s.GetCluster() != "":
		return "cluster " + s.GetCluster()
	}
	return "fleet"
}

func newRoleTable(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "table", Short: "what each role may do",
		Example: "  muster role table",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			res, err := a.client().Access.ListRoles(ctx, &musterv1.ListRolesRequest{})
			if err != nil {
				return err
			}
			t := newTable("", column{head: "ACTION", name: true}, column{head: "WHO", folds: true}, column{head: "MEANS", folds: true, spare: true})
			for _, r := range res.GetTable() {
				t.add(r.GetAction(), whoMay(r), r.GetMeans())
			}
			return a.print(a.Out, answer{message: res, table: t})
		},
	}
}

func whoMay(r *musterv1.RoleAction) string {
	var list []string
	if r.GetEverybody() {
		return "everybody"
	}
	if r.GetOwn() {
		list = append(list, "one's own")
	}
	return strings.Join(append(append(list, r.GetRoles()...), "admin"), ", ")
}

func newBreakGlass(a *app) *cobra.Command {
	w := &writing{}
	cmd := &cobra.Command{
		Use: "break-glass", Short: "become an admin for an hour, where you have the role break-glass; everybody sees it",
		Example: "  muster role break-glass --reason 'the provider of sign-ins is down'",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := a.client().Access.BreakGlass(ctx, &musterv1.BreakGlassRequest{Write: w.message()})
				return res.GetWritten(), err
			}, "you are an admin for an hour")
		},
	}
	w.flags(cmd)
	return cmd
}
