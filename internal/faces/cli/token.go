package cli

import (
	"context"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newToken(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Aliases: []string{"tokens"},
		Short: "tokens of service accounts: create, list, rotate, revoke",
	}
	return group(cmd, newTokenCreate(a), newTokenList(a), newTokenRotate(a), newTokenRevoke(a))
}

// tokenOptions are those of changing tokens.
type tokenOptions struct {
	*app
	writing
	days int32
}

func (o *tokenOptions) flags(cmd *cobra.Command) {
	o.writing.flags(cmd)
	cmd.Flags().Int32Var(&o.days, "days", 90, "how many days it is good, 366 at most")
}

// tokenMade is the answer to what makes a token.
type tokenMade interface {
	proto.Message
	GetWritten() *musterv1.Written
	GetToken() *musterv1.Token
	GetSecret() string
}

// make makes a token, and tells its secret once.
func (o *tokenOptions) make(ctx context.Context, ask func(context.Context) (tokenMade, error)) error {
	if o.days == 0 { // which means the usual 90 to the API
		return usage("--days 0; write how many days it is good, from 1 to 366")
	}
	ctx, end := o.within(ctx)
	defer end()
	res, err := ask(ctx)
	if err != nil {
		return err
	}
	return o.print(o.Out, answer{message: res, rows: writtenRows(res.GetWritten()), lead: func(p *page) {
		p.made(res.GetWritten(), res.GetToken(), res.GetSecret())
	}})
}

func newTokenCreate(a *app) *cobra.Command {
	o := &tokenOptions{app: a}
	cmd := &cobra.Command{
		Use:   "create ACCOUNT",
		Short: "make a token for a service account; its secret is shown once",
		Long: `Create makes a token of 256 random bits for a service account. The server keeps its hash alone, so that
the secret is told once, here. What the account may do is bound to it by muster role grant ROLE
serviceaccount:ACCOUNT.`,
		Example: "  muster token create ci --days 30 --reason \"the nightly pipeline\"",
		Args:    needs(1, 1, "the name of a service account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.make(cmd.Context(), func(ctx context.Context) (tokenMade, error) {
				return a.client().Access.CreateToken(ctx, &musterv1.CreateTokenRequest{Write: o.writing.message(), Account: args[0], Days: o.days})
			})
		},
	}
	o.flags(cmd)
	return cmd
}

// made says what a new token is.
func (p *page) made(w *musterv1.Written, t *musterv1.Token, secret string) {
	if secret == "" {
		p.written(w, "token made", &names{})
		return
	}
	p.say("token %s of service account %s, good until %s", t.GetId(), t.GetAccount(), p.moment(t.GetUntil().AsTime()))
	p.say("%s", secret)
	p.say("It is shown this once. Keep it where its program alone reads it.")
}

func newTokenList(a *app) *cobra.Command {
	ask := &musterv1.ListTokensRequest{}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list tokens, and when each was used last",
		Example: "  muster token list\n  muster token list --account ci",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			res, err := a.client().Access.ListTokens(ctx, ask)
			if err != nil {
				return err
			}
			t := newTable("There is no token that you may see.",
				column{head: "TOKEN", name: true}, column{head: "ACCOUNT"}, column{head: "MADE"}, column{head: "UNTIL"}, column{head: "USED"}, column{head: "FROM"}, column{head: "BY", spare: true}, column{head: "REASON", folds: true, spare: true})
			for _, k := range res.GetTokens() {
				t.add(k.GetId(), k.GetAccount(), k.GetMade(), k.GetUntil(), k.GetUsed(), k.GetUsedFrom(), k.GetBy(), k.GetReason())
			}
			return a.print(a.Out, answer{message: res, table: t})
		},
	}
	cmd.Flags().StringVar(&ask.Account, "account", "", "of this service account alone")
	return cmd
}

func newTokenRotate(a *app) *cobra.Command {
	o := &tokenOptions{app: a}
	cmd := &cobra.Command{
		Use: "rotate TOKEN", Short: "make another token for the same account; the old one is good for an hour more",
		Example: "  muster token rotate TOKEN --reason 'every quarter'",
		Args:    needs(1, 1, "the ID of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.make(cmd.Context(), func(ctx context.Context) (tokenMade, error) {
				return a.client().Access.RotateToken(ctx, &musterv1.RotateTokenRequest{Write: o.writing.message(), Id: args[0], Days: o.days})
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func newTokenRevoke(a *app) *cobra.Command {
	o := &tokenOptions{app: a}
	cmd := &cobra.Command{
		Use: "revoke TOKEN", Short: "end a token at once",
		Example: "  muster token revoke TOKEN --reason 'it stood in a log'",
		Args:    needs(1, 1, "the ID of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Access.RevokeToken(ctx, &musterv1.RevokeTokenRequest{Write: o.writing.message(), Id: args[0]})
				return res.GetWritten(), err
			}, "token "+args[0]+" is revoked")
		},
	}
	o.writing.flags(cmd)
	return cmd
}
