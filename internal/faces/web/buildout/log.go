package buildout

import (
	"errors"
	"strings"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// logPath is where an open page asks for the log again.
const logPath = "/part/cluster-log"

// Log is the part of a cluster's page that shows what its pipeline writes, as far as it has come.
func Log(v *frame.Visit) (frame.Page, error) {
	r, err := v.Buildout.GetClusterLog(v.Ctx, &musterv1.GetClusterLogRequest{Cluster: v.Query("cluster"), Operation: v.Query("operation")})
	if code := connect.CodeOf(err); err != nil && code != connect.CodePermissionDenied {
		return frame.Page{}, err
	}
	if err != nil {
		r = &musterv1.GetClusterLogResponse{Missing: "Your roles do not let you read logs: " + denied(err)}
	}
	return frame.Page{Part: true, Body: logBody(v, r)}, nil
}

// denied is the server's own words, which name the roles that may.
func denied(err error) string {
	var of *connect.Error
	if errors.As(err, &of) {
		return of.Message()
	}
	return err.Error()
}

// logCommand shows the same on the command line.
func logCommand(v *frame.Visit) string { return "muster cluster log " + v.Query("cluster") }

// lines counts the lines of a text.
func lines(text string) int { return strings.Count(text, "\n") }
