package server

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/faces/cli"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
)

// upCommand are those of `muster up`.
type upCommand struct {
	*cli.Program
	fleet, clustersFile string
	upOptions
}

func newUp(p *cli.Program) *cobra.Command {
	o := &upCommand{Program: p}
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
		Args:    cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(); err != nil {
				return err
			}
			return up(cmd.Context(), o.upOptions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Data, "data", "", "folder of the journal; it is created if need be")
	f.StringVar(&o.upOptions.Journal, "journal", "", "postgres:// address of the database that the journal is in ($MUSTER_JOURNAL); without it the journal is a SQLite file in --data")
	f.BoolVar(&o.Standby, "standby", false, "with --journal: follow the server that leads, and take over when it is gone")
	f.StringVar(&o.Advertise, "advertise", "", "with --journal: host:port where the other servers reach this one; without it where it listens")
	f.StringVar(&o.Listen, "listen", client.DefaultAddress, "host:port to listen on; other than loopback only with --tokens or --oidc-issuer, and TLS or a proxy")
	wireFlags(f, &o.upOptions)
	outsideFlags(f, &o.Outside)
	f.StringVar(&o.Tokens, "tokens", "", "file of tokens that say who may do what: a list of token_sha256, user, groups, namespaces, operator")
	f.StringVar(&o.OIDC.Issuer, "oidc-issuer", "", "URL of the OpenID Connect provider where people sign in (muster login)")
	f.StringVar(&o.OIDC.ClientID, "oidc-client-id", "", "client ID of Muster at that provider")
	cli.OIDCAFlag(f, &o.OIDCCA)
	f.StringVar(&o.OIDC.UsernameClaim, "oidc-username-claim", "email", "claim that names the user")
	f.StringVar(&o.OIDC.GroupsClaim, "oidc-groups-claim", "groups", "claim that lists the user's groups")
	sessionFlags(f, &o.upOptions)
	f.StringVar(&o.fleet, "fleet", "", "fleet file that a new journal begins with")
	f.StringVar(&o.Agents, "agents", "", "host:port where agents of clusters dial in; they show certificates (muster agent enrol)")
	f.StringVar(&o.AgentsTLS, "agents-tls", "", "folder with ca.crt, tls.crt (for the DNS name muster) and tls.key, where another authority than Muster's own signs")
	f.StringSliceVar(&o.AgentsAllow, "agents-allow", nil, "with --agents-tls: names of the clusters that may join; other certificates of that authority are not let in")
	f.StringVar(&o.clustersFile, "clusters", "", "file that lists clusters which the server reaches by kubeconfigs")
	f.BoolVar(&o.upOptions.Demo, "demo", false, "a simulated fleet with live load")
	f.Uint64Var(&o.Seed, "seed", 1, "of a new demo: the same seed gives the same faults, workloads and run times")
	f.Var(&o.Retain, "retain", "days for which records are kept, 90d; what is rolled up of them stays. Without it all are kept")
	f.BoolVar(&o.Salvage, "salvage", false, "cut a damaged journal back to its last good record; the damaged files are kept aside")
	f.BoolVar(&o.FullCheck, "full-check", false, "prove the whole journal before anything else, not only what follows the newest snapshot")
	f.BoolVar(&o.NewFleet, "new-fleet", false, "begin an empty fleet although something shows that there was one")
	f.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn or error")
	return cmd
}

// journalEnv has the address of the database where --journal is not given: other users of the
// machine see a command line, with the password in it.
const journalEnv = "MUSTER_JOURNAL"

var logLevels = []string{"debug", "info", "warn", "error"}

func checkLogLevel(level string) error {
	if !slices.Contains(logLevels, level) {
		return cli.Usage("--log-level %.40q; write debug, info, warn or error", level)
	}
	return nil
}

// settleJournal checks which journal was asked for.
func (o *upCommand) settleJournal() error {
	if o.upOptions.Journal == "" {
		o.upOptions.Journal = o.Env.Getenv(journalEnv)
	}
	switch journal := o.upOptions.Journal; {
	case journal == "" && (o.Standby || o.Advertise != ""):
		return cli.Usage("--standby and --advertise go with --journal: only servers on one database take over from each other")
	case journal != "" && !postgres.Is(journal):
		return cli.Usage("--journal %.40q; write postgres://USER@HOST:PORT/DATABASE", journal)
	}
	return nil
}

// settle checks what was asked for before anything starts.
func (o *upCommand) settle() error {
	if err := checkLogLevel(o.LogLevel); err != nil {
		return err
	}
	if (o.OIDC.Issuer == "") != (o.OIDC.ClientID == "") {
		return cli.Usage("--oidc-issuer and --oidc-client-id belong together; give both")
	}
	if err := checkIssuer(o.OIDC.Issuer); err != nil {
		return err
	}
	if o.OIDCCA != "" && o.OIDC.Issuer == "" {
		return cli.Usage("--oidc-ca is the authority of a provider; name that with --oidc-issuer")
	}
	if err := checkSessions(o.upOptions); err != nil {
		return err
	}
	if o.upOptions.Demo && o.fleet != "" {
		return cli.Usage("--demo brings its own fleet, and --fleet another; give one of them")
	}
	if _, _, err := o.Outside.adapters(); err != nil {
		return err
	}
	if err := o.real(); err != nil {
		return err
	}
	if err := o.settleJournal(); err != nil {
		return err
	}
	if o.fleet != "" {
		data, err := o.ReadFile(o.fleet)
		if err != nil {
			return err
		}
		if o.upOptions.Fleet, err = fleetfile.Parse(o.fleet, data, fleetfile.Options{Partitions: map[string]int{}}); err != nil {
			return err
		}
		o.HasFleet = true
	}
	if o.Data == "" {
		dir, err := dataHome(o.Env, o.upOptions.Demo)
		if err != nil {
			return err
		}
		o.Data = dir
	}
	o.LocalDir = cli.LocalDir(o.Env.Getenv)
	o.upOptions.Out, o.upOptions.Err = o.Env.Out, o.Env.Err
	o.upOptions.OutTerminal, o.upOptions.ErrTerminal = o.Env.OutTerminal, o.Env.ErrTerminal
	return nil
}

// dataHome is the folder where a journal is kept without --data.
func dataHome(env *cli.Env, demo bool) (string, error) {
	name := "muster"
	if demo {
		name = "muster-demo"
	}
	if dir := env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	dir := env.Getenv("HOME")
	if dir == "" {
		return "", cli.Usage("neither XDG_STATE_HOME nor HOME says where to keep the journal; write --data FOLDER")
	}
	return filepath.Join(dir, ".local", "state", name), nil
}
