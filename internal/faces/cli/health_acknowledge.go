package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// acknowledgeOptions are those of `muster health acknowledge`.
type acknowledgeOptions struct {
	*app
	writing
	lasts time.Duration
}

func newHealthAcknowledge(a *app) *cobra.Command {
	o := &acknowledgeOptions{app: a}
	cmd := &cobra.Command{
		Use: "acknowledge KEY --reason WHY", Aliases: []string{"ack"},
		Short: "say that you have seen a warning, and for how long that is enough",
		Long: `Acknowledge says to everybody that you know of a warning. muster status shows the key of each. It is shown as
acknowledged, by you, until the time is over, also after the server was restarted.`,
		Example: "  muster health acknowledge 'breaker tiger/h200 2026-11-22T10:00:00Z' --for 8h --reason 'the vendor is on it'",
		Args:    needs(1, 1, "the key of a warning"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.write(cmd.Context(), func(ctx context.Context) (*musterv1.Written, error) {
				res, err := o.client().System.AcknowledgeWarning(ctx, &musterv1.AcknowledgeWarningRequest{
					Write: o.writing.message(), Key: args[0], Lasts: durationpb.New(o.lasts),
				})
				return res.GetWritten(), err
			}, "the warning is acknowledged")
		},
	}
	o.writing.flags(cmd)
	o.lasts = 8 * time.Hour
	cmd.Flags().Var(SpanFlag(&o.lasts), "for", "how long, up to 30d")
	return cmd
}

// warnings are what everybody must see, those that are not acknowledged first.
func (p *page) warnings(list []*musterv1.Warning) {
	for _, w := range list {
		if w.GetAcknowledgedBy() == "" {
			p.wrapAs(p.paint.paint(bad, "!! "), p.inZone(w.GetText()))
			if acknowledgeable(w) {
				p.wrapAs("   ", "key: "+w.GetKey())
			}
		}
	}
	for _, w := range list {
		if w.GetAcknowledgedBy() != "" {
			p.wrapAs("   ", p.inZone(w.GetText()))
			p.wrapAs("   ", "acknowledged by "+w.GetAcknowledgedBy()+" until "+p.moment(w.GetUntil().AsTime())+": "+w.GetReason())
		}
	}
	if len(list) > 0 {
		p.say("")
	}
}

// acknowledgeable says whether a warning can be acknowledged. Those that the server says of itself, that a person broke
// the glass, and that changes wait for a second person stand until that is over.
func acknowledgeable(w *musterv1.Warning) bool {
	kind, _, _ := strings.Cut(w.GetKey(), " ")
	return !slices.Contains([]string{"server", "glass", "proposal", "proposed"}, kind)
}
