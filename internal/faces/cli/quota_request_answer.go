package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// requestNumber reads the number of a request.
func requestNumber(text string) (uint64, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usage("%.40q is no number of a request; muster quota requests lists them", text)
	}
	return id, nil
}

// gpusArgument reads a number of GPUs.
func gpusArgument(text string) (int32, error) {
	gpus, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, usage("%.40q is no number of GPUs", text)
	}
	return int32(gpus), nil
}

// requestChange is what the commands that change a request have in common.
type requestChange struct {
	*app
	writing
}

func newQuotaOffer(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "offer REQUEST QUOTA GPUS", Short: "agree that a quota you answer for gives GPUs for a request",
		Example: "  muster quota offer 7 research/elm 32",
		Args:    needs(3, 3, "the number of a request, a quota and a number of GPUs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			gpus, err := gpusArgument(args[2])
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Offer(ctx, &musterv1.OfferRequest{Write: o.writing.message(), Id: id, From: args[1], Gpus: gpus})
				return res.GetWritten(), err
			}, fmt.Sprintf("%s of %s offered for request %d", text.Count(gpus, "GPU"), args[1], id))
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newQuotaAnswer(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "answer REQUEST grant|decline", Short: "grant or decline a request; what is granted is done at once",
		Example: "  muster quota answer 7 grant --reason 'agreed on Monday'",
		Args:    needs(2, 2, "the number of a request, and grant or decline"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			if args[1] != "grant" && args[1] != "decline" {
				return usage("%.40q is no answer; write grant or decline", args[1])
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Answer(ctx, &musterv1.AnswerRequest{Write: o.writing.message(), Id: id, Grant: args[1] == "grant"})
				return res.GetWritten(), err
			}, fmt.Sprintf("request %d %s", id, map[string]string{"grant": "granted", "decline": "declined"}[args[1]]))
		},
	}
	o.writing.flags(cmd)
	return cmd
}

func newQuotaWithdraw(a *app) *cobra.Command {
	o := &requestChange{app: a}
	cmd := &cobra.Command{
		Use: "withdraw REQUEST", Short: "take a request back",
		Example: "  muster quota withdraw 7",
		Args:    needs(1, 1, "the number of a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := requestNumber(args[0])
			if err != nil {
				return err
			}
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().Requests.Withdraw(ctx, &musterv1.WithdrawRequest{Write: o.writing.message(), Id: id})
				return res.GetWritten(), err
			}, fmt.Sprintf("request %d withdrawn", id))
		},
	}
	o.writing.flags(cmd)
	return cmd
}
