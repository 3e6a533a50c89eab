package server

import (
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/faces/cli"

	"github.com/muster-fleet/muster/client"
)

// joinOptions say which Kubernetes cluster a server joins.
type joinOptions struct {
	Kubeconfig string // file; "": the usual places, or the cluster this process runs in
	Context    string // in the file; "": the current one
	Name       string // of the cluster, as Muster calls it
	Manage     bool   // what runs there is decided here; else it is watched only
	Quotas     bool   // the cluster's own quotas are taken over
	Kueue      bool   // what backs quotas is written to Kueue's queues
	// FenceAfter is how long a node is silent until it is taken for off; 0: never.
	FenceAfter time.Duration
	Prometheus string // address of the server that keeps DCGM's figures; "": use of GPUs is not measured
}

// joinCommand are those of `muster join`.
type joinCommand struct {
	*cli.Program
	upOptions
	join            joinOptions
	observe, manage bool
	kueue           bool
	quotas          string
}

func newJoin(p *cli.Program) *cobra.Command {
	o := &joinCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "join",
		Short: "run a server for a Kubernetes cluster: watch it, or decide what runs there",
		Long: `Join runs a Muster server for one Kubernetes cluster, until Ctrl-C. With --observe nothing on the
cluster is ever written: its nodes, pods and quotas are read, and what could be promised, which quota
is not backed, and why pods wait is told as if Muster decided. With --manage pods that carry the label
muster.dev/target are started, placed and evicted by Muster; see docs/kubernetes.md. With --kueue the
quotas of Kueue's ClusterQueues follow what is backed by healthy nodes, and Kueue decides what runs.

Quotas are read from ResourceQuotas and, where Kueue is installed, from its ClusterQueues. With
--quotas none they are not; then muster apply -f quotas.yaml says what they are.`,
		Example: "  muster join --kubeconfig ~/.kube/config --observe\n  muster join --context tiger-admin --name tiger --observe --quotas none",
		Args:    cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(); err != nil {
				return err
			}
			return up(cmd.Context(), o.upOptions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.join.Kubeconfig, "kubeconfig", "", "kubeconfig file; without it $KUBECONFIG, ~/.kube/config, or the cluster this runs in")
	f.StringVar(&o.join.Context, "context", "", "context in the kubeconfig; without it the current one")
	f.StringVar(&o.join.Name, "name", "cluster", "what the cluster is called here")
	f.BoolVar(&o.observe, "observe", false, "watch only: nothing on the cluster is written")
	f.BoolVar(&o.manage, "manage", false, "decide what runs there")
	f.DurationVar(&o.join.FenceAfter, "fence-after", 0, "with --manage: taint nodes out-of-service that are silent for so long, so that lost ranks start elsewhere; 0: never")
	f.BoolVar(&o.kueue, "kueue", false, "write what backs each quota to Kueue's ClusterQueues; Kueue decides what runs")
	f.StringVar(&o.quotas, "quotas", "cluster", "cluster: take the cluster's own quotas over; none: leave them")
	f.StringVar(&o.join.Prometheus, "prometheus", "", "address of Prometheus, which keeps what DCGM measures of the GPUs: http://prometheus:9090")
	f.StringVar(&o.Data, "data", "", "folder of the journal; it is created if need be")
	f.StringVar(&o.Listen, "listen", client.DefaultAddress, "host:port to listen on; other than loopback only with --tokens, and TLS or a proxy")
	wireFlags(f, &o.upOptions)
	f.StringVar(&o.Tokens, "tokens", "", "file of tokens that say who may do what: a list of token_sha256, user, groups, operator")
	f.BoolVar(&o.Salvage, "salvage", false, "cut a damaged journal back to its last good record; the damaged files are kept aside")
	f.BoolVar(&o.FullCheck, "full-check", false, "prove the whole journal before anything else, not only what follows the newest snapshot")
	f.BoolVar(&o.NewFleet, "new-fleet", false, "begin an empty fleet although something shows that there was one")
	f.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn or error")
	return cmd
}

var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)

// ways counts what was asked for.
func ways(asked ...bool) (n int) {
	for _, is := range asked {
		if is {
			n++
		}
	}
	return n
}

// leastFence is the least time after which a silent node may be taken for off.
const leastFence = time.Minute

func checkFence(after time.Duration, manage bool) error {
	if after < 0 || after > 0 && (!manage || after < leastFence) {
		return cli.Usage("--fence-after %s; with --manage, a time of at least %s: a node that is silent for less may only be slow", after, leastFence)
	}
	return nil
}

// settle checks what was asked for before anything starts.
func (o *joinCommand) settle() error {
	switch {
	case ways(o.observe, o.manage, o.kueue) != 1:
		return cli.Usage("say how far Muster goes on the cluster: --observe (nothing is written there), --kueue (quotas of Kueue's queues) or --manage")
	case !clusterName.MatchString(o.join.Name):
		return cli.Usage("--name %.40q; write lower-case letters, digits, dots and dashes, 63 at most", o.join.Name)
	case o.quotas != "cluster" && o.quotas != "none":
		return cli.Usage("--quotas %.40q; write cluster or none", o.quotas)
	}
	if err := checkFence(o.join.FenceAfter, o.manage); err != nil {
		return err
	}
	if err := checkLogLevel(o.LogLevel); err != nil {
		return err
	}
	o.join.Manage, o.join.Kueue, o.join.Quotas = o.manage, o.kueue, o.quotas == "cluster"
	o.upOptions.Join = &o.join
	if o.Data == "" {
		dir, err := dataHome(o.Env, false)
		if err != nil {
			return err
		}
		o.Data = filepath.Join(filepath.Dir(dir), "muster-"+o.join.Name)
	}
	o.upOptions.Out, o.upOptions.Err = o.Env.Out, o.Env.Err
	o.upOptions.OutTerminal, o.upOptions.ErrTerminal = o.Env.OutTerminal, o.Env.ErrTerminal
	return nil
}
