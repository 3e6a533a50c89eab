package buildkite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	api "github.com/buildkite/go-buildkite/v4"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of an answer: its bytes, and how long its hint is believed.
const (
	mostBytes = 4 << 20
	longest   = time.Hour
)

// client is the SDK's, through a transport that says what refusals mean.
func (p *Pipeline) client() (*api.Client, error) {
	over := http.Client{Transport: http.DefaultTransport}
	if p.HTTP != nil {
		over = *p.HTTP
	}
	if over.Transport == nil {
		over.Transport = http.DefaultTransport
	}
	over.Transport = refusing{over.Transport}
	options := []api.ClientOpt{api.WithTokenAuth(p.Token), api.WithHTTPClient(&over)}
	if p.Address != "" {
		options = append(options, api.WithBaseURL(p.Address))
	}
	return api.NewClient(options...)
}

// refusing turns answers that are no success into errors: those that say that nothing has
// happened into a *provision.Refused. The SDK alone repeats a read that is throttled, blind
// to the pause that the service asks for, and to the end of the call.
type refusing struct{ over http.RoundTripper }

func (t refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.over.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 {
		answer.Body = bounded{io.LimitReader(answer.Body, mostBytes), answer.Body}
		return answer, nil
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // half an answer says its status anyway
	return nil, refusal(r.Method, answer, data)
}

// bounded is the beginning of a body.
type bounded struct {
	io.Reader
	io.Closer
}

// refusal says what an answer means that is no success.
func refusal(method string, answer *http.Response, data []byte) error {
	var says struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(data, &says) // an answer of a proxy is no JSON, and says its status
	err := fmt.Errorf("buildkite answers %s with %s", method, answer.Status)
	if says.Message != "" {
		err = fmt.Errorf("%w: %.300s", err, says.Message)
	}
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests:
		return &provision.Refused{Class: fleet.ErrorWait, After: hint(answer.Header), Err: err}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &provision.Refused{Class: fleet.ErrorPerson, Err: fmt.Errorf("%w; the token needs read_builds and write_builds", err)}
	case code == http.StatusNotFound:
		return &provision.Refused{Class: fleet.ErrorFix, Err: fmt.Errorf("%w; name a pipeline that the token may see as the runner of the blueprint", err)}
	case code < 500:
		return &provision.Refused{Class: fleet.ErrorFix, Err: err}
	case method == http.MethodGet && hint(answer.Header) > 0: // a read that is put off has done nothing
		return &provision.Refused{Class: fleet.ErrorWait, After: hint(answer.Header), Err: err}
	}
	return err
}

// hint is when the outside wants to be asked again: Retry-After, or the end of its window.
func hint(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After", "RateLimit-Reset"} {
		if n, err := strconv.Atoi(h.Get(name)); err == nil && n > 0 {
			return min(longest, time.Duration(min(n, 1<<20))*time.Second)
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(0, min(longest, time.Until(at)))
	}
	return 0
}

// list is the builds that carry the ID of an operation, the newest first.
func (p *Pipeline) list(ctx context.Context, at place, operation string) ([]api.Build, error) {
	c, err := p.client()
	if err != nil {
		return nil, fmt.Errorf("buildkite: %w", err)
	}
	builds, _, err := c.Builds.ListByPipeline(ctx, at.organisation, at.pipeline, &api.BuildsListOptions{
		MetaData: api.MetaDataFilters{MetaData: map[string]string{operationKey: operation}}, ListOptions: api.ListOptions{PerPage: 10},
	})
	if err != nil {
		return nil, fmt.Errorf("buildkite: %w", err)
	}
	return builds, nil
}
