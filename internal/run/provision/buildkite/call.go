package buildkite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of an answer: its bytes, and how long its hint is believed.
const (
	mostBytes = 4 << 20
	longest   = time.Hour
)

// call makes one call. An answer that says that nothing has happened is a *provision.Refused;
// after any other error it is not known.
func (p *Pipeline) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("buildkite: %w", err)
		}
		body = bytes.NewReader(data)
	}
	address := p.Address
	if address == "" {
		address = "https://api.buildkite.com"
	}
	r, err := http.NewRequestWithContext(ctx, method, address+path, body)
	if err != nil {
		return fmt.Errorf("buildkite: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	r.Header.Set("Content-Type", "application/json")
	client := p.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("buildkite: %w", err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return fmt.Errorf("buildkite: %w", err)
	}
	if answer.StatusCode >= 300 {
		return refusal(method, answer, data)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("buildkite: the answer to %s is no JSON of a build: %w", method, err)
	}
	return nil
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
		return &provision.Refused{Class: fleet.ErrorFix, Err: fmt.Errorf("%w; is the blueprint's runner a pipeline that the token may see?", err)}
	case code < 500:
		return &provision.Refused{Class: fleet.ErrorFix, Err: err}
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
