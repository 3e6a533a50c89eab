package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// One port answers every protocol, over HTTP/1.1 and HTTP/2, with refusals that say the same.
func TestEveryProtocolReachesTheServer(t *testing.T) {
	h := furnished(t)
	plain, h2c := http.DefaultClient, overHTTP2()
	for what, c := range map[string]struct {
		http *http.Client
		with []connect.ClientOption
	}{
		"Connect, HTTP/1.1":      {plain, nil},
		"Connect, HTTP/2":        {h2c, nil},
		"Connect JSON, HTTP/1.1": {plain, []connect.ClientOption{connect.WithProtoJSON()}},
		"gRPC, HTTP/2":           {h2c, []connect.ClientOption{connect.WithGRPC()}},
		"gRPC-Web, HTTP/1.1":     {plain, []connect.ClientOption{connect.WithGRPCWeb()}},
		"gRPC-Web JSON, HTTP/2":  {h2c, []connect.ClientOption{connect.WithGRPCWeb(), connect.WithProtoJSON()}},
		"Connect GET":            {plain, []connect.ClientOption{connect.WithHTTPGet()}},
	} {
		t.Run(what, func(t *testing.T) {
			capacity := musterv1connect.NewCapacityServiceClient(c.http, h.url, c.with...)
			answer, err := capacity.Capacity(t.Context(), &musterv1.CapacityRequest{Scope: "tiger"})
			must(t, err)
			equal(t, "installed", answer.GetPartitions()[0].GetFigures().GetInstalled(), 128)
			_, err = capacity.Capacity(t.Context(), &musterv1.CapacityRequest{Scope: "lion"})
			equal(t, "code of a refusal", connect.CodeOf(err), connect.CodeNotFound)
			equal(t, "code in its detail", detailOf(t, err).GetCode(), "NoSuchPartition")
			streams(t, h, musterv1connect.NewEventServiceClient(c.http, h.url, c.with...))
		})
	}
}

func overHTTP2() *http.Client {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: &p}}
}

func detailOf(t *testing.T, err error) *musterv1.Refusal {
	t.Helper()
	e, ok := err.(*connect.Error)
	if !ok || len(e.Details()) == 0 {
		t.Fatalf("%v has no detail", err)
	}
	value, err := e.Details()[0].Value()
	must(t, err)
	return value.(*musterv1.Refusal)
}

func streams(t *testing.T, h *house, events musterv1connect.EventServiceClient) {
	t.Helper()
	stream, err := events.Watch(t.Context(), &musterv1.WatchRequest{From: 1})
	must(t, err)
	for seq := uint64(1); seq <= h.version(); seq++ {
		if !stream.Receive() {
			t.Fatalf("no record %d: %v", seq, stream.Err())
		}
		equal(t, "record", stream.Msg().GetRecord().GetSeq(), seq)
	}
	_ = stream.Close()
}

// What a person types with curl works: a POST of JSON, and a GET of what only reads.
func TestCurlReachesTheServer(t *testing.T) {
	h := furnished(t)
	submit, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.WorkloadService/Submit", strings.NewReader(`{
		"write": {"reason": "by hand"},
		"spec": {"name": "base", "namespace": "oak", "target": "research/oak", "priority": "high",
			"pools": [{"name": "w", "gpus": 8, "replicas": 2}], "maxRuntime": "3600s"}}`))
	must(t, err)
	submit.Header.Set("Content-Type", "application/json")
	sent(t, submit, http.StatusOK)

	question := url.Values{"encoding": {"json"}, "message": {`{"namespace":"oak","name":"base"}`}}
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/muster.v1.WorkloadService/GetWorkload?"+question.Encode(), nil)
	must(t, err)
	var answer struct {
		Workload struct{ State, Holds string }
	}
	must(t, json.Unmarshal(sent(t, get, http.StatusOK), &answer))
	equal(t, "state", answer.Workload.State, "running")
	equal(t, "holds", answer.Workload.Holds, "guaranteed")

	unknown, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.WorkloadService/Submit", strings.NewReader(`{"spce": {}}`))
	must(t, err)
	unknown.Header.Set("Content-Type", "application/json")
	body := string(sent(t, unknown, http.StatusBadRequest))
	if !strings.Contains(body, "spce") {
		t.Errorf("an unknown key is not named: %s", body)
	}
	get, err = http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/muster.v1.WorkloadService/Submit?"+question.Encode(), nil)
	must(t, err)
	sent(t, get, http.StatusMethodNotAllowed)
}
