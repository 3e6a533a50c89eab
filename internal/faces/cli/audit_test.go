package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// altered is a server whose audit log was changed.
type altered struct {
	musterv1connect.UnimplementedAccessServiceHandler
}

func (altered) VerifyAudit(context.Context, *musterv1.VerifyAuditRequest) (*musterv1.VerifyAuditResponse, error) {
	return &musterv1.VerifyAuditResponse{Entries: 7, Broken: []string{"entry 3 is another than was written"}}, nil
}

// What is not as it was written is the answer, and the exit code is 3.
func TestAChangedLogIsAnAnswer(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle(musterv1connect.NewAccessServiceHandler(altered{}))
	server := httptest.NewServer(mux)
	defer server.Close()
	for format, want := range map[string]string{"table": "not all is as it was written:\n  - entry 3 is another", "json": `"entry 3 is another than was written"`} {
		var out, trouble bytes.Buffer
		env := &Env{In: strings.NewReader(""), Out: &out, Err: &trouble, Getenv: func(string) string { return "" }, Now: time.Now}
		code := New(env).Run(t.Context(), []string{"audit", "verify", "-o", format, "--server", server.URL})
		if code != ExitNotMet || !strings.Contains(out.String(), want) || !strings.Contains(trouble.String(), "not as it was written") {
			t.Errorf("-o %s: exit code %d\n%s\n%s", format, code, &out, &trouble)
		}
	}
}
