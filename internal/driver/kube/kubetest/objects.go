package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// JSON is an object, or a part of one.
type JSON = map[string]any

// pace is how many objects are made at one time.
const pace = 16

var insecure = &http.Client{Transport: &http.Transport{
	TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // loopback, its own certificate
	MaxIdleConnsPerHost: pace, ForceAttemptHTTP2: true,
}}

// Call asks the API server as the administrator: method, path below the server's
// address, and an object to send (nil: none). What it answers is read into
// the last argument (nil: thrown away). A patch is a merge patch.
func (c *Cluster) Call(ctx context.Context, method, path string, send, into any) error {
	var body io.Reader
	if send != nil {
		data, err := json.Marshal(send)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	res, err := insecure.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return &StatusError{Code: res.StatusCode, Text: fmt.Sprintf("%s %s: %d: %.400s", method, path, res.StatusCode, data)}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(data, into)
}

// StatusError is an answer of the API server that is no success.
type StatusError struct {
	Code int
	Text string
}

func (e *StatusError) Error() string { return e.Text }

// CreateAll makes objects below one path, many at a time.
func (c *Cluster) CreateAll(ctx context.Context, path string, objects []JSON) error {
	todo, failed := make(chan JSON), make(chan error, len(objects))
	var all sync.WaitGroup
	for range min(pace, len(objects)) {
		all.Go(func() {
			for o := range todo {
				if err := c.Call(ctx, http.MethodPost, path, o, nil); err != nil {
					failed <- err
				}
			}
		})
	}
	for _, o := range objects {
		todo <- o
	}
	close(todo)
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// Node is a node object of 8 GPUs of a product in an island and a rack.
func Node(name, product, island, rack string) JSON {
	amounts := JSON{"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
	return JSON{
		"apiVersion": "v1", "kind": "Node",
		"metadata": JSON{"name": name, "labels": JSON{
			"nvidia.com/gpu.product": product, "nvidia.com/gpu.clique": island, "network.topology.nvidia.com/leaf": rack,
			"kubernetes.io/hostname": name,
		}},
		"status": JSON{"capacity": amounts, "allocatable": amounts},
	}
}

// Pod is a pod that asks for GPUs. It tolerates what keeps pods of this test off nodes.
func Pod(namespace, name string, gpus int) JSON {
	return JSON{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": JSON{"name": name, "namespace": namespace, "labels": JSON{}, "annotations": JSON{}},
		"spec":     PodSpec(gpus),
	}
}

// PodSpec is the spec of a pod that asks for GPUs.
func PodSpec(gpus int) JSON {
	return JSON{
		"terminationGracePeriodSeconds": 30,
		"containers": []JSON{{
			"name": "main", "image": "none",
			"resources": JSON{"limits": JSON{"nvidia.com/gpu": fmt.Sprint(gpus)}, "requests": JSON{"nvidia.com/gpu": fmt.Sprint(gpus)}},
		}},
	}
}

// Namespace is a namespace object.
func Namespace(name string) JSON {
	return JSON{"apiVersion": "v1", "kind": "Namespace", "metadata": JSON{"name": name}}
}

// ResourceQuota grants a namespace GPUs.
func ResourceQuota(namespace string, gpus int) JSON {
	return JSON{
		"apiVersion": "v1", "kind": "ResourceQuota", "metadata": JSON{"name": "gpus", "namespace": namespace},
		"spec": JSON{"hard": JSON{"requests.nvidia.com/gpu": fmt.Sprint(gpus)}},
	}
}
