package dcgm

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// prometheus answers as Prometheus 3 does, with these series by metric.
func prometheus(t *testing.T, series map[string]string) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.FormValue("query")
		if r.URL.Path != "/api/v1/query" || !strings.Contains(query, "avg_over_time(") {
			t.Errorf("asked for %s %q", r.URL.Path, query)
		}
		w.Header().Set("Content-Type", "application/json")
		for name, result := range series {
			if strings.Contains(query, name+"[") {
				_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, result)
				return
			}
		}
		_, _ = fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	}))
	t.Cleanup(s.Close)
	c, err := New(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func one(labels, value string) string {
	return fmt.Sprintf(`{"metric":{%s},"value":[1735732800.123,%q]}`, labels, value)
}

func TestWhatPodsGPUsDo(t *testing.T) {
	c := prometheus(t, map[string]string{
		"DCGM_FI_DEV_GPU_UTIL": strings.Join([]string{
			one(`"namespace":"oak","pod":"train-0"`, "97.5"), one(`"namespace":"oak","pod":"train-1"`, "0"),
			one(`"namespace":"monitoring","pod":"dcgm-exporter-1","exported_namespace":"elm","exported_pod":"serve"`, "3.14"),
			one(`"namespace":"oak","pod":"odd"`, "NaN"), one(``, "50"), one(`"namespace":"oak","pod":"hot"`, "101"),
		}, ","),
		"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": one(`"namespace":"oak","pod":"train-0"`, "0.4004"),
	})
	got, err := c.Read(context.Background())
	want := map[Pod]Reading{
		{"oak", "train-0"}: {975, 400}, {"oak", "train-1"}: {0, fleet.Unmeasured}, {"elm", "serve"}: {31, fleet.Unmeasured}, {"oak", "hot"}: {1000, fleet.Unmeasured},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
}

func TestTheMostHonestFigureCounts(t *testing.T) {
	c := prometheus(t, map[string]string{
		"DCGM_FI_DEV_GPU_UTIL": one(`"namespace":"oak","pod":"hung"`, "100"), "DCGM_FI_PROF_SM_ACTIVE": one(`"namespace":"oak","pod":"hung"`, "0.01"),
	})
	got, err := c.Read(context.Background())
	if err != nil || got[Pod{"oak", "hung"}].SM != 10 {
		t.Errorf("read %v, %v; want SM activity, 10 of 1000", got, err)
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	for _, text := range []string{
		``, `no JSON`, `{}`, `{"status":"error","errorType":"bad_data","error":"parse error"}`, `{"status":"success","data":{"resultType":"matrix","result":[]}}`,
	} {
		if got, err := read([]byte(text), activity[0]); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for _, address := range []string{"", "prometheus:9090", "ftp://x", "http://"} {
		if _, err := New(address); err == nil {
			t.Errorf("address %q is taken", address)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"status":"success","data":{"resultType":"vector","result":[` + one(`"pod":"p"`, "0.5") + `]}}`))
	f.Add([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":null,"value":[null,"1e999"]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := read(data, activity[2])
		for pod, n := range found {
			if n < 0 || n > 1000 || pod.Name == "" || err != nil {
				t.Errorf("%v: %d, %v", pod, n, err)
			}
		}
	})
}

// TestWhatIsNotMeasuredIsNotIdle asks that a gang one of whose pods was not measured
// is not measured, and that pods which do not run are not missed.
func TestWhatIsNotMeasuredIsNotIdle(t *testing.T) {
	pod := func(name, node string, gpus int) translate.Pod {
		return translate.Pod{Namespace: "oak", Name: name, Node: node, GPUs: gpus}
	}
	work := func(name string, pods ...translate.Pod) translate.Work {
		return translate.Work{Namespace: "oak", Name: name, Pools: []translate.Part{{Pods: pods}}}
	}
	seen, running, lacking := Of([]translate.Work{
		work("whole", pod("a", "n1", 8), pod("b", "n2", 4), pod("waits", "", 8)), work("part", pod("a", "n1", 8), pod("c", "n1", 8)), work("waiting", pod("d", "", 8)),
	}, map[Pod]Reading{{"oak", "a"}: {900, 300}, {"oak", "b"}: {0, 0}})
	want := []Seen{{"oak", "part", Reading{fleet.Unmeasured, fleet.Unmeasured}}, {"oak", "whole", Reading{600, 200}}}
	if !reflect.DeepEqual(seen, want) || running != 4 || lacking != 1 {
		t.Errorf("seen %v of %d running, %d lacking; want %v", seen, running, lacking, want)
	}
}
