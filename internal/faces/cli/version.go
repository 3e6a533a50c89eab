package cli

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "the versions of this program and of the server",
		Example: "  muster version",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.version(cmd.Context())
		},
	}
}

// version says both versions; that no server answers is no failure.
func (a *app) version(ctx context.Context) error {
	const quick = 2 * time.Second
	ctx, end := context.WithTimeout(ctx, quick)
	defer end()
	value := object{{"version", a.Version}, {"go", runtime.Version()}, {"platform", runtime.GOOS + "/" + runtime.GOARCH}}
	server, err := a.client().System.Version(ctx, &musterv1.VersionRequest{})
	if err == nil {
		value = append(value, member{"server", object{{"address", a.server}, {"version", server.GetVersion()}, {"go", server.GetGo()}}})
	}
	rows := newTable("", column{head: "WHAT"}, column{head: "VERSION"}, column{head: "GO"})
	rows.add("client", a.Version, runtime.Version())
	return a.print(a.Out, answer{value: value, rows: rows, lead: func(p *page) {
		p.say("muster %s (%s, %s/%s)", a.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		if err != nil {
			p.say("server %s: %s", a.server, noVersion(err))
			return
		}
		p.say("server %s: muster %s (%s)", a.server, server.GetVersion(), server.GetGo())
	}})
}

// noVersion is why a server does not say its version.
func noVersion(err error) string {
	if errors.As(err, new(*client.Unreachable)) || exitCode(err) == ExitTimeout {
		return "none answers there"
	}
	return explain(err)
}
