package cli

import (
	"context"
	"io"
	"net/http"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/config"
	"github.com/muster-fleet/muster/internal/prove/bench"
	"github.com/muster-fleet/muster/internal/prove/scenario"
)

// Env is the world that commands run in.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	// OutTerminal and ErrTerminal say whether a person looks at the stream as it comes.
	OutTerminal, ErrTerminal bool
	Height                   func() int // lines of the terminal; 0: unknown; nil: there is none
	Getenv                   func(string) string
	Now                      func() time.Time
	Zone                     *time.Location // times in tables are shown in; nil: the machine's
	User                     string         // the operating system's user
	Version                  string         // of this program
	HTTP                     *http.Client   // by which the server is reached; nil: the client's own

	// Up runs a server until ctx ends.
	Up func(ctx context.Context, o UpOptions) error
	// Agent runs an agent of a cluster until ctx ends.
	Agent func(ctx context.Context, o AgentOptions) error
	// Enrol lets a cluster's agents in; Revoke does not any more. Data is the server's folder.
	Enrol  func(data string, o EnrolOptions) (Identity, error)
	Revoke func(data, cluster string) error
	// Compare says what differs between a fleet and a fleet file.
	Compare func(fleet *musterv1.GetFleetResponse, quotas []*musterv1.Quota, file config.File) (Comparison, error)
	// Webhook answers admission reviews of pods until ctx ends.
	Webhook func(ctx context.Context, o WebhookOptions) error
	// Stories tells stories on a Kubernetes cluster. It has looked at the
	// cluster by then, and says what it will do there.
	Stories func(ctx context.Context, o StoryOptions) (tell scenario.Teller, err error)
	// Remote is how benches reach an engine through the API.
	Remote bench.Remote
	// Pages are the pages over an engine, for benches.
	Pages bench.Pages
}

// StoryOptions say on which Kubernetes cluster stories are told.
type StoryOptions struct {
	Kubeconfig, Context string
	Anyway              bool // though it holds what no story has made
	Err                 io.Writer
}

// UpOptions are what `muster up` was asked for.
type UpOptions struct {
	Data     string // folder of the journal
	Listen   string // host:port
	Tokens   string // file; "": none
	Fleet    config.File
	HasFleet bool
	Demo     bool
	Seed     uint64       // of the demo
	Join     *JoinOptions // nil: no cluster is joined, replicas are simulated
	// Agents is host:port where agents of clusters dial in, and AgentsTLS a folder with
	// the server's certificate; "": nobody may, and the server's own authority.
	Agents, AgentsTLS string
	Clusters          []JoinOptions // that the server reaches by itself
	Salvage           bool
	LogLevel          string // debug, info, warn or error

	Out, Err                 io.Writer
	OutTerminal, ErrTerminal bool
}

// Comparison is what differs between a fleet and a fleet file.
type Comparison struct {
	Differences []Difference
	Changes     []*musterv1.Change // what brings the fleet there, in order
}

// Difference is one thing that a file says and the fleet is not.
type Difference struct {
	Kind   string `json:"kind"` // + to be added, ~ to be changed, ! cannot be brought about
	Text   string `json:"text"`
	Line   int    `json:"line"`   // in the file
	Change int    `json:"change"` // index of its change, -1 for none
}

func (e *Env) zone() *time.Location {
	if e.Zone == nil {
		return time.Local
	}
	return e.Zone
}
