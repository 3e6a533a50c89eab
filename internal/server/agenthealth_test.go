package server

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/link"
)

// The agent's figures have the names and types that dashboards ask for.
func TestAnAgentsFiguresAreForPrometheus(t *testing.T) {
	res := httptest.NewRecorder()
	agentMetrics(func() link.Stats { return link.Stats{Connected: true, Asked: 7, Lines: 2} }).ServeHTTP(res, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		"# TYPE muster_agent_connected gauge", "muster_agent_connected 1",
		"# TYPE muster_agent_lines_total counter", "muster_agent_lines_total 2",
		"# TYPE muster_agent_calls_total counter", "muster_agent_calls_total 7",
	} {
		if !strings.Contains(res.Body.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, res.Body)
		}
	}
}
