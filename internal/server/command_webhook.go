package server

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/clusters/kube/webhook"
	"github.com/muster-fleet/muster/internal/faces/cli"
)

// webhookOptions are what `muster webhook` was asked for.
type webhookOptions struct {
	Listen    string // host:port
	Cert, Key string // files, PEM
}

func newWebhook(_ *cli.Program) *cobra.Command {
	var o webhookOptions
	cmd := &cobra.Command{
		Use:   "webhook",
		Short: "answer admission reviews: pods with a target wait for Muster",
		Long: `Webhook answers the API server of a cluster before Kubernetes 1.36, which has no policies that change
pods: a GPU pod with the label muster.dev/target in an enrolled namespace is given a scheduling gate
and the priority class muster-managed. It keeps nothing, so any number of them may run. See
deploy/kubernetes/webhook.yaml. The certificate may be renewed in place.`,
		Example: "  muster webhook --listen :9443 --tls-cert /tls/tls.crt --tls-key /tls/tls.key",
		Args:    cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Cert == "" || o.Key == "" {
				return cli.Usage("an API server asks over TLS only: --tls-cert and --tls-key name the files of a certificate that its caBundle trusts")
			}
			return answerReviews(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", ":9443", "host:port to listen on")
	f.StringVar(&o.Cert, "tls-cert", "", "file of the certificate, PEM")
	f.StringVar(&o.Key, "tls-key", "", "file of its key, PEM")
	return cmd
}

// answerReviews answers admission reviews until ctx ends.
func answerReviews(ctx context.Context, o webhookOptions) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "answers admission reviews at https://%s/admit\n", l.Addr())
	return webhook.Serve(ctx, l, o.Cert, o.Key)
}
