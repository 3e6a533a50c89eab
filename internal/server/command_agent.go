package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/sharedfiles"
)

// agentOptions say for which cluster an agent speaks, and to whom.
type agentOptions struct {
	Server     string // host:port where the server takes agents
	Identity   string // file or folder with the certificate that an enrolment gave
	Kubeconfig string // file; "": the usual places, or the cluster this process runs in
	Context    string // in the file; "": the current one
	Name       string // of the cluster; "": as the certificate says
	Manage     bool   // Muster decides what runs there
	Kueue      bool   // what backs quotas is written to Kueue's queues; with neither, nothing is written
	Quotas     bool   // the cluster's own quotas are taken over
	// FenceAfter is how long a node is silent until it is taken for off; 0: never.
	FenceAfter time.Duration
	Prometheus string // address of the server that keeps DCGM's figures; "": use of GPUs is not measured
	Health     string // host:port for /healthz, /readyz and /metrics; "": nowhere
	LogLevel   string
	Err        io.Writer
	// Node is the node that the agent runs on and speaks for, instead of its cluster; "": it speaks for the cluster.
	Node     string
	Metadata string // address where the machine's provider answers; "": Azure's
}

// enrolOptions say whom a server lets in.
type enrolOptions struct {
	Cluster string
	Holds   time.Duration
	Only    bool // what was enrolled before for the cluster is not let in any more
}

// agentCommand are those of `muster agent`.
type agentCommand struct {
	*cli.Program
	agentOptions
	observe bool
	quotas  string
}

func newAgent(p *cli.Program) *cobra.Command {
	o := &agentCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "join a Kubernetes cluster to a server elsewhere, over one outgoing connection",
		Long: `Agent lets a Muster server look at a Kubernetes cluster, and with --manage decide what runs there, until
Ctrl-C. It dials the server, which never dials in; both show certificates. Nothing is kept here: any
number of agents may serve one cluster, and while none is connected the cluster goes on with what it runs.

With --observe nothing is written to the cluster, whatever the server asks. What the agent may do at all
is what its user or service account may.

With --node it speaks for one node of Azure instead, and for no server: it shows the Scheduled Events of the
node's machine as conditions of the node, and lets Azure begin once Muster has emptied the node for them.

The server lets agents in where it was started with --agents, and "muster agent enrol" gives the certificate.`,
		Example: "  muster agent enrol tiger --data /var/lib/muster --out tiger.pem    # where the server runs\n  muster agent --server muster.example.org:6879 --identity tiger.pem --kubeconfig ~/.kube/config --observe",
		Args:    cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Node != "" {
				return o.speakForNode(cmd.Context())
			}
			if err := o.settle(); err != nil {
				return err
			}
			return runAgent(cmd.Context(), o.agentOptions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Identity, "identity", p.Getenv("MUSTER_IDENTITY"), "file of muster agent enrol, or folder with ca.crt, tls.crt and tls.key ($MUSTER_IDENTITY)")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig file; without it $KUBECONFIG, ~/.kube/config, or the cluster this runs in")
	f.StringVar(&o.Context, "context", "", "context in the kubeconfig; without it the current one")
	f.StringVar(&o.Name, "name", "", "the cluster's name, if it is to be checked against the certificate's")
	f.BoolVar(&o.observe, "observe", false, "watch only: nothing on the cluster is written")
	f.BoolVar(&o.Manage, "manage", false, "Muster decides what runs there")
	f.BoolVar(&o.Kueue, "kueue", false, "write what backs each quota to Kueue's ClusterQueues; Kueue decides what runs")
	f.DurationVar(&o.FenceAfter, "fence-after", 0, "with --manage: taint nodes out-of-service that are silent for so long, so that lost ranks start elsewhere; 0: never")
	f.StringVar(&o.quotas, "quotas", "cluster", "cluster: take the cluster's own quotas over; none: leave them")
	f.StringVar(&o.Prometheus, "prometheus", "", "address of Prometheus, as this agent reaches it, which keeps what DCGM measures of the GPUs: http://prometheus:9090")
	f.StringVar(&o.Node, "node", "", "speak for this node: show what Azure has scheduled for its machine, and approve it once the node is empty; no server is dialled")
	f.StringVar(&o.Metadata, "metadata", "", "with --node: address where the machine's metadata is; without it Azure's")
	f.StringVar(&o.Health, "health", "", "host:port for /healthz, /readyz and /metrics; without it nowhere")
	f.StringVar(&o.LogLevel, "log-level", "info", "debug, info, warn or error")
	cmd.AddCommand(newEnrol(p), newRevoke(p))
	return cmd
}

// settle checks what was asked for before anything starts.
func (o *agentCommand) settle() error {
	switch {
	case ways(o.observe, o.Manage, o.Kueue) != 1:
		return cli.Usage("say how far Muster goes on the cluster: --observe (nothing is written there), --kueue (quotas of Kueue's queues) or --manage")
	case o.Name != "" && !clusterName.MatchString(o.Name):
		return cli.Usage("--name %.40q; write lower-case letters, digits, dots and dashes, 63 at most", o.Name)
	case o.quotas != "cluster" && o.quotas != "none":
		return cli.Usage("--quotas %.40q; write cluster or none", o.quotas)
	case o.Identity == "":
		return cli.Usage("--identity names the certificate by which the server knows the cluster; muster agent enrol NAME, where the server runs, gives one")
	case strings.Contains(o.ServerAddress(), "/"):
		return cli.Usage("--server %.80q; an agent dials host:port, as the server's --agents says", o.ServerAddress())
	}
	if err := checkFence(o.FenceAfter, o.Manage); err != nil {
		return err
	}
	o.Quotas, o.Server, o.Err = o.quotas == "cluster", o.ServerAddress(), o.Env.Err
	return checkLogLevel(o.LogLevel)
}

// enrolCommand are those of `muster agent enrol`.
type enrolCommand struct {
	*cli.Program
	enrolOptions
	data, secret, out string
}

func newEnrol(p *cli.Program) *cobra.Command {
	o := &enrolCommand{Program: p, enrolOptions: enrolOptions{Holds: 365 * 24 * time.Hour}}
	cmd := &cobra.Command{
		Use:   "enrol NAME",
		Short: "let the agents of a cluster in, and print the certificate that they show",
		Long: `Enrol makes a certificate for the agents of a cluster, signed by the server's own authority in its data
folder, lets it in from now on, and prints it with its key: keep it like a password. It is to be run
where the server's data folder is; the server may run.`,
		Example: "  muster agent enrol tiger --data /var/lib/muster --out tiger.pem\n  kubectl exec muster-0 -- /muster agent enrol tiger --data /data --secret muster-agent | kubectl --context tiger apply -n muster -f -",
		Args:    cli.Needs(1, 1, "name the cluster, as in muster agent enrol tiger"),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.Cluster = args[0]; !clusterName.MatchString(o.Cluster) {
				return cli.Usage("%.40q is no name of a cluster; write lower-case letters, digits, dots and dashes, 63 at most", o.Cluster)
			}
			return o.run()
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "the server's data folder; without it the usual one")
	f.StringVar(&o.secret, "secret", "", "print a Kubernetes Secret of this name instead")
	f.StringVar(&o.out, "out", "", "write to this file, which its owner alone may read, instead of printing")
	f.Var(cli.SpanFlag(&o.Holds), "holds", "how long the certificate is valid")
	f.BoolVar(&o.Only, "only", false, "let no certificate in that the cluster was given before")
	return cmd
}

func (o *enrolCommand) run() error {
	dir, err := dataFolder(o.Env, o.data)
	if err != nil {
		return err
	}
	if o.Holds < time.Minute {
		return cli.Usage("--holds %v; a certificate holds a minute or longer", o.Holds)
	}
	is, err := enrol(dir, o.enrolOptions)
	if err != nil {
		return err
	}
	text := is.Bundle()
	if o.secret != "" {
		text = []byte(secretOf(o.secret, is))
	}
	if o.out != "" {
		err = cli.Malformed(wholefile.WriteBytes(o.out, text))
	} else {
		_, err = o.Out.Write(text)
	}
	return errors.Join(err, sharedfiles.PassedOn(dir, o.Cluster, sharedfiles.PassesOnWithin))
}

// secretOf is a Secret of the shape that cert-manager writes too.
func secretOf(name string, is link.Identity) string {
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata:\n  name: %s\ndata:\n  ca.crt: %s\n  tls.crt: %s\n  tls.key: %s\n",
		name, text(is.Authority), text(is.Cert), text(is.Key))
}

func newRevoke(p *cli.Program) *cobra.Command {
	data := ""
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: "let no agent of a cluster in any more",
		Long: `Revoke forgets the certificates that a cluster's agents were given. Those that are connected are sent away
within seconds; what runs on the cluster goes on.`,
		Example: "  muster agent revoke tiger",
		Args:    cli.Needs(1, 1, "name the cluster, as in muster agent revoke tiger"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := dataFolder(p.Env, data)
			if err != nil {
				return err
			}
			if err := revoke(dir, args[0]); err != nil {
				return err
			}
			if err := sharedfiles.PassedOn(dir, args[0], sharedfiles.PassesOnWithin); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Out, "No agent of cluster %s is let in any more.\n", args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "the server's data folder; without it the usual one")
	return cmd
}

// dataFolder is the data folder of a server, which must be there.
func dataFolder(env *cli.Env, named string) (string, error) {
	dir := named
	if dir == "" {
		home, err := dataHome(env, false)
		if err != nil {
			return "", err
		}
		dir = home
	}
	if info, err := os.Stat(filepath.Clean(dir)); err != nil || !info.IsDir() {
		return "", cli.Malformed(fmt.Errorf("there is no data folder %s; start the server once (muster up --agents), or name its folder with --data", dir))
	}
	return dir, nil
}
