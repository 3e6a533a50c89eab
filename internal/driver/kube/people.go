package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// object is one of Kubernetes' objects, or a part of one.
type object = map[string]any

// people are those on a cluster of a story who are not Muster: who makes nodes and
// pods there, and does what their programs do.
type people struct {
	server string
	http   *http.Client
}

// peopleOf are those that a kubeconfig and a context in it name.
func peopleOf(file, in string) (*people, error) {
	config, err := configOf(file, in)
	if err != nil {
		return nil, err
	}
	to, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &people{strings.TrimSuffix(to.String(), "/"), client}, nil
}

// answerError is an answer of the API server that is no success.
type answerError struct {
	code int
	text string
}

func (e *answerError) Error() string { return e.text }

// answered is the code of such an answer; 0: it is none.
func answered(err error) int {
	var is *answerError
	if errors.As(err, &is) {
		return is.code
	}
	return 0
}

// call asks the API server: method, path, and an object to send (nil: none). What it
// answers is read into the last argument (nil: thrown away). A patch is a merge patch.
func (p *people) call(ctx context.Context, method, path string, send, into any) error {
	var body io.Reader
	if send != nil {
		data, err := json.Marshal(send)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.server+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	res, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode >= http.StatusMultipleChoices:
		return &answerError{res.StatusCode, fmt.Sprintf("%s %s: %d: %.400s", method, path, res.StatusCode, data)}
	case into == nil:
		return nil
	}
	return json.Unmarshal(data, into)
}

// handsOn is how many objects are made at one time.
const handsOn = 16

// make makes objects below one path, many at a time. made hears what became of each.
func (p *people) make(ctx context.Context, path string, list []object, made func(uid string)) error {
	todo := make(chan object, len(list))
	for _, o := range list {
		todo <- o
	}
	close(todo)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(len(list), handsOn) {
		all.Go(func() {
			for o := range todo {
				var is struct{ Metadata struct{ UID string } }
				err := p.call(ctx, http.MethodPost, path, o, &is)
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
