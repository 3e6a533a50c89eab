package dcgm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Window is over how long activity is averaged. A GPU without a sample in it is not measured.
const Window = 2 * time.Minute

// metric is one of DCGM's fields, and what it shows for full activity.
type metric struct {
	name string
	full float64
}

// activity are the fields that show how busy a GPU is, the most honest first: which
// of them an exporter has is its configuration.
var activity = []metric{{"DCGM_FI_PROF_SM_ACTIVE", 1}, {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1}, {"DCGM_FI_DEV_GPU_UTIL", 100}}

var tensor = metric{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1}

// Pod is whose GPUs were measured.
type Pod struct{ Namespace, Name string }

// Reading is what a pod's GPUs do, in thousandths of full activity.
type Reading struct{ SM, Tensor fleet.Permille }

// Client asks a Prometheus server.
type Client struct {
	base string
	http *http.Client
}

// patience bounds one question, and mostAnswer what is read of its answer.
const (
	patience   = 20 * time.Second
	mostAnswer = 256 << 20
)

// New is a client of the server at an address, as http://prometheus:9090. A path
// below which it serves may follow.
func New(address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("address of Prometheus %.100q; write it as http://prometheus.monitoring:9090", address)
	}
	return &Client{base: strings.TrimSuffix(address, "/"), http: &http.Client{Timeout: patience}}, nil
}

// Read asks what the GPUs of every pod do now.
func (c *Client) Read(ctx context.Context) (map[Pod]Reading, error) {
	out := map[Pod]Reading{}
	for _, m := range activity {
		found, err := c.ask(ctx, m)
		if err != nil {
			return nil, err
		}
		for pod, busy := range found {
			out[pod] = Reading{SM: busy, Tensor: fleet.Unmeasured}
		}
		if len(found) > 0 {
			break
		}
	}
	if len(out) == 0 {
		return out, nil
	}
	busy, err := c.ask(ctx, tensor)
	if err != nil {
		return nil, err
	}
	for pod, r := range out {
		if t, measured := busy[pod]; measured {
			r.Tensor = t
			out[pod] = r
		}
	}
	return out, nil
}

// question is the body that asks for a field.
func (m metric) question() string {
	query := fmt.Sprintf("avg by (namespace, pod, exported_namespace, exported_pod) (avg_over_time(%s[%ds]))", m.name, int(Window.Seconds()))
	return url.Values{"query": {query}}.Encode()
}

// ask asks for one field, averaged over the window and each pod's GPUs. Where
// Prometheus keeps its own labels of the scrape, the pod's are called exported_.
func (c *Client) ask(ctx context.Context, m metric) (map[Pod]fleet.Permille, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/v1/query", strings.NewReader(m.question()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		return nil, err
	}
	found, err := read(data, m)
	if err != nil {
		return nil, fmt.Errorf("what %s answers (%d) cannot be read: %w", c.base, res.StatusCode, err)
	}
	return found, nil
}

// answer is what Prometheus answers to an instant query.
type answer struct {
	Status    string
	ErrorType string
	Error     string
	Data      struct {
		ResultType string
		Result     []struct {
			Metric map[string]string
			Value  [2]any // seconds, and the figure as a text
		}
	}
}

// read reads an answer. A figure that is none, and one of no pod, is passed over:
// GPUs that no pod holds belong to no workload.
func read(data []byte, m metric) (map[Pod]fleet.Permille, error) {
	var a answer
	switch err := json.Unmarshal(data, &a); {
	case err != nil:
		return nil, fmt.Errorf("not as Prometheus does: %w", err)
	case a.Status != "success":
		return nil, fmt.Errorf("%s: %.200s", a.ErrorType, a.Error)
	case a.Data.ResultType != "vector":
		return nil, fmt.Errorf("with a %.20q, not a vector", a.Data.ResultType)
	}
	out := map[Pod]fleet.Permille{}
	for _, r := range a.Data.Result {
		pod := Pod{r.Metric["namespace"], r.Metric["pod"]}
		if name := r.Metric["exported_pod"]; name != "" {
			pod = Pod{r.Metric["exported_namespace"], name}
		}
		text, _ := r.Value[1].(string)
		figure, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(figure) || math.IsInf(figure, 0) || figure < 0 || pod.Name == "" {
			continue
		}
		out[pod] = fleet.Permille(math.Round(1000 * min(1, figure/m.full)))
	}
	return out, nil
}
