package cli

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/answer/config"
)

// upOptions are those of `muster up`.
type upOptions struct {
	*app
	fleet, clusters string
	UpOptions
}

func newUp(a *app) *cobra.Command {
	o := &upOptions{app: a}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "run a server; with --demo, of a simulated fleet with live load",
		Long: `Up runs a Muster server with its journal in a folder of this machine, until Ctrl-C. A second start
with the same folder finds the same fleet.

The journal is in --data; without it, in $XDG_STATE_HOME/muster or ~/.local/state/muster, and the
demo's beside it in muster-demo.

Without --agents and --clusters replicas are simulated. With them the server is one for real clusters:
those whose agents dial in (muster agent), and those it reaches itself by kubeconfigs:

  clusters:
    - {name: tiger, kubeconfig: /etc/muster/tiger, mode: manage}
    - {name: lion, kubeconfig: /etc/muster/lion, context: admin, mode: observe, quotas: none}

A node and a namespace are called with their cluster there: node-001@tiger, oak@lion.`,
		Example: "  muster up --demo\n  muster up --agents :6879 --data /var/lib/muster\n  muster up --clusters clusters.yaml",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(); err != nil {
				return err
			}
			return o.Up(cmd.Context(), o.UpOptions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Data, "data", "", "folder of the journal; it is created if need be")
	f.StringVar(&o.Listen, "listen", client.DefaultAddress, "host:port to listen on; other than loopback only with --tokens")
	f.StringVar(&o.Tokens, "tokens", "", "file of tokens that say who may do what: a list of token_sha256, user, groups, operator")
	f.StringVar(&o.fleet, "fleet", "", "fleet file that a new journal begins with")
	f.StringVar(&o.Agents, "agents", "", "host:port where agents of clusters dial in; they show certificates (muster agent enrol)")
	f.StringVar(&o.AgentsTLS, "agents-tls", "", "folder with ca.crt, tls.crt (for the DNS name muster) and tls.key, where another authority than Muster's own signs")
	f.StringVar(&o.clusters, "clusters", "", "file that lists clusters which the server reaches by kubeconfigs")
	f.BoolVar(&o.UpOptions.Demo, "demo", false, "a simulated fleet with live load")
	f.Uint64Var(&o.Seed, "seed", 1, "of a new demo: the same seed gives the same faults, workloads and run times")
	f.BoolVar(&o.Salvage, "salvage", false, "cut a damaged journal back to its last good record; the damaged files are kept aside")
	f.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn or error")
	return cmd
}

var logLevels = []string{"debug", "info", "warn", "error"}

func checkLogLevel(level string) error {
	if !slices.Contains(logLevels, level) {
		return usage("--log-level %.40q; write debug, info, warn or error", level)
	}
	return nil
}

// settle checks what was asked for before anything starts.
func (o *upOptions) settle() error {
	if err := checkLogLevel(o.LogLevel); err != nil {
		return err
	}
	if o.UpOptions.Demo && o.fleet != "" {
		return usage("--demo brings its own fleet, and --fleet another; give one of them")
	}
	if err := o.real(); err != nil {
		return err
	}
	if o.fleet != "" {
		data, err := o.open(o.fleet)
		if err != nil {
			return err
		}
		if o.UpOptions.Fleet, err = config.Parse(o.fleet, data, config.Options{Partitions: map[string]int{}}); err != nil {
			return err
		}
		o.HasFleet = true
	}
	if o.Data == "" {
		dir, err := o.home(o.UpOptions.Demo)
		if err != nil {
			return err
		}
		o.Data = dir
	}
	o.UpOptions.Out, o.UpOptions.Err = o.Env.Out, o.Env.Err
	o.UpOptions.OutTerminal, o.UpOptions.ErrTerminal = o.Env.OutTerminal, o.Env.ErrTerminal
	return nil
}

// home is the folder where a journal is kept if nobody says otherwise.
func (o *upOptions) home(demo bool) (string, error) {
	name := "muster"
	if demo {
		name = "muster-demo"
	}
	if dir := o.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	dir := o.Getenv("HOME")
	if dir == "" {
		return "", usage("neither XDG_STATE_HOME nor HOME says where to keep the journal; write --data FOLDER")
	}
	return filepath.Join(dir, ".local", "state", name), nil
}
