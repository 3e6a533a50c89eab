package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Object is one of Kubernetes' objects, or a part of one.
type Object = map[string]any

// Server is an API server and who asks it.
type Server struct {
	URL  string       // without a slash at its end
	HTTP *http.Client // which proves who asks, unless Token does
	// Token is who asks; empty: the client says that.
	Token string
}

// Error is an answer of the API server that is no success.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return e.Text }

// CodeOf is the code of such an answer; 0: it is none.
func CodeOf(err error) int {
	var is *Error
	if errors.As(err, &is) {
		return is.Code
	}
	return 0
}

// Call asks the server: method, path below its address, and an object to send (nil:
// none). What it answers is read into the last argument (nil: thrown away). A patch
// is a merge patch. An answer that is no success is an *Error.
func (s Server) Call(ctx context.Context, method, path string, send, into any) error {
	r, err := s.request(ctx, method, path, send)
	if err != nil {
		return err
	}
	res, err := s.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode >= http.StatusMultipleChoices:
		return &Error{res.StatusCode, fmt.Sprintf("%s %s: %d: %.400s", method, path, res.StatusCode, data)}
	case into == nil:
		return nil
	}
	return json.Unmarshal(data, into)
}

func (s Server) request(ctx context.Context, method, path string, send any) (*http.Request, error) {
	var body io.Reader
	if send != nil {
		data, err := json.Marshal(send)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		return nil, err
	}
	if s.Token != "" {
		r.Header.Set("Authorization", "Bearer "+s.Token)
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	return r, nil
}

// Pace is how many objects Make has under way at one time.
const Pace = 16

// Make makes objects below one path, many at a time, and returns all that failed.
// made (may be nil) hears of each, one after the other.
func (s Server) Make(ctx context.Context, path string, list []Object, made func(uid string)) error {
	todo := make(chan Object, len(list))
	for _, o := range list {
		todo <- o
	}
	close(todo)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(len(list), Pace) {
		all.Go(func() {
			for o := range todo {
				var is struct{ Metadata struct{ UID string } }
				err := s.Call(ctx, http.MethodPost, path, o, &is)
				mu.Lock()
				if err == nil && made != nil {
					made(is.Metadata.UID)
				}
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}
