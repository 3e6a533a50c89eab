package server

import (
	"io"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// upOptions are what `muster up` was asked for.
type upOptions struct {
	Data    string // folder of the journal
	Journal string // postgres://…; "": SQLite, in the folder
	// Standby: this server leaves it to others to lead at first. Advertise is host:port where
	// the others and clients reach it; "": where it listens.
	Standby   bool
	Advertise string
	Listen    string // host:port
	Tokens    string // file; "": none
	// OIDC says where people sign in; Issuer "": nowhere.
	OIDC    api.OIDCOptions
	OIDCCA  string // file of the authority of its certificate, beside those that the machine trusts; "": none
	Session sessionOptions
	// TokenReview has the kubeconfigs of clusters, by name, whose workloads show their tokens.
	TokenReview map[string]string
	// LocalDir is the folder of this user's tokens of servers on this machine; "": none is left.
	LocalDir string
	// TLSCert and TLSKey are files of the certificate for API and pages; "": plain HTTP, which
	// others reach only where BehindProxy says that a proxy does TLS.
	TLSCert, TLSKey string
	BehindProxy     bool
	TrustedProxies  []string
	// MostWaiting is how many workloads one caller that does not run the fleet may have waiting.
	MostWaiting int

	// WebhooksTo are the hosts that webhooks may go to, none: any; WebhooksLocal lets them go to
	// this machine and its link. A server that only its machine reaches may always do that.
	WebhooksTo    []string
	WebhooksLocal bool

	Outside outsideOptions // how clusters of real providers are built

	Fleet    fleetfile.File
	HasFleet bool
	Demo     bool
	Seed     uint64       // of the demo
	Join     *joinOptions // nil: no cluster is joined, replicas are simulated
	// Agents is host:port where agents of clusters dial in, and AgentsTLS a folder with
	// the server's certificate; "": none may, and the server's own authority.
	Agents, AgentsTLS string
	AgentsAllow       []string      // with AgentsTLS: the clusters that may join
	Clusters          []joinOptions // that the server reaches by itself
	Retain            retention     // for how long records are kept
	Salvage           bool
	FullCheck         bool   // the whole journal is proven before anything else
	NewFleet          bool   // an empty fleet begins although something shows that there was one
	LogLevel          string // debug, info, warn or error

	Out, Err                 io.Writer
	OutTerminal, ErrTerminal bool
}
