package cli

import (
	"context"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newSession(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "session", Aliases: []string{"sessions"},
		Short: "people who are signed in: list, end",
	}
	return group(cmd, newSessionList(a), newSessionEnd(a))
}

func newSessionList(a *app) *cobra.Command {
	ask := &musterv1.ListSessionsRequest{}
	cmd := &cobra.Command{
		Use: "list [USER]", Aliases: []string{"ls"}, Short: "list sign-ins that the server has seen since it started; without the role auditor, your own",
		Example: "  muster session list ada@example.com",
		Args:    needs(0, 1, "a user, or nothing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			if len(args) > 0 {
				ask.User = args[0]
			}
			res, err := a.client().Access.ListSessions(ctx, ask)
			if err != nil {
				return err
			}
			t := newTable("No sign-in was seen that you may see.",
				column{head: "SESSION", name: true}, column{head: "USER"}, column{head: "BY"}, column{head: "BEGAN"}, column{head: "USED"}, column{head: "FROM"})
			for _, s := range res.GetSessions() {
				t.add(s.GetId(), s.GetUser(), s.GetKind(), s.GetBegan(), s.GetUsed(), s.GetUsedFrom())
			}
			return a.print(a.Out, answer{message: res, table: t})
		},
	}
	return cmd
}

// sessionOptions are those of ending sign-ins.
type sessionOptions struct {
	*app
	writing
	id string
}

func newSessionEnd(a *app) *cobra.Command {
	o := &sessionOptions{app: a}
	cmd := &cobra.Command{
		Use:   "end USER",
		Short: "end a person's sign-ins: the pages and the command line ask them to sign in again",
		Long: `End ends all sign-ins of a person that began before, or with --session one of them, on all servers of the
fleet, within seconds, on open pages and streams too. The person can sign in again unless the provider,
or the tokens file, does not know them any more: take them out there first.`,
		Example: "  muster session end ada@example.com --reason \"her laptop was stolen\"",
		Args:    needs(1, 1, "the name of a user"),
		RunE: func(cmd *cobra.Command, args []string) error {
			said := "all sign-ins of " + args[0] + " are ended"
			if o.id != "" {
				said = "the sign-in " + o.id + " of " + args[0] + " is ended"
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Access.EndSessions(ctx, &musterv1.EndSessionsRequest{Write: o.writing.message(), User: args[0], Id: o.id})
				return res.GetWritten(), err
			}, said)
		},
	}
	o.writing.flags(cmd)
	cmd.Flags().StringVar(&o.id, "session", "", "this one alone, as muster session list shows it")
	return cmd
}
