package server

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/muster-fleet/muster/internal/clusters/kube/webhook"
	"github.com/muster-fleet/muster/internal/faces/cli"
)

// answerReviews answers admission reviews until ctx ends.
func answerReviews(ctx context.Context, o cli.WebhookOptions) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "answers admission reviews at https://%s/admit\n", l.Addr())
	return webhook.Serve(ctx, l, o.Cert, o.Key)
}
