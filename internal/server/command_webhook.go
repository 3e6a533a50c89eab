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
	Bind      string // who binds pods: direct or scheduler
}

func newWebhook(_ *cli.Program) *cobra.Command {
	var o webhookOptions
	cmd := &cobra.Command{
		Use:   "webhook",
		Short: "answer admission reviews: pods with a target wait for Muster",
		Long: `Webhook answers the API server of a cluster before Kubernetes 1.36, which has no policies that change
pods. A GPU pod with the label muster.dev/target in an enrolled namespace is given Muster as its
scheduler, and the priority class muster-managed. One that needs kube-scheduler is given a gate instead.
The same is written once into the templates of Jobs, Deployments and so on. It keeps nothing, so any
number of them may run. See deploy/kubernetes/webhook.yaml. The certificate may be renewed in place.`,
		Example: "  muster webhook --listen :9443 --tls-cert /tls/tls.crt --tls-key /tls/tls.key",
		Args:    cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Cert == "" || o.Key == "" {
				return cli.Usage("an API server asks over TLS only: --tls-cert and --tls-key name the files of a certificate that its caBundle trusts")
			}
			if o.Bind != "direct" && o.Bind != "scheduler" {
				return cli.Usage("--bind is %q; it can be direct (Muster binds pods) or scheduler (kube-scheduler does)", o.Bind)
			}
			return answerReviews(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", ":9443", "host:port to listen on")
	f.StringVar(&o.Cert, "tls-cert", "", "file of the certificate, PEM")
	f.StringVar(&o.Key, "tls-key", "", "file of its key, PEM")
	f.StringVar(&o.Bind, "bind", "direct", "who binds pods: direct (Muster, which needs the role muster-bind) or scheduler (kube-scheduler)")
	return cmd
}

// answerReviews answers admission reviews until ctx ends.
func answerReviews(ctx context.Context, o webhookOptions) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "answers admission reviews at https://%s/admit\n", l.Addr())
	return webhook.Options{Direct: o.Bind == "direct"}.Serve(ctx, l, o.Cert, o.Key)
}
