package dcgm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// through asks a door as an agent's line does: whatever the host, it is the agent that answers.
type through struct{ door http.Handler }

func (d through) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.door.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestAnAgentAsksItsOwnPrometheus asks a Prometheus by way of an agent's door: for
// figures it answers, for anything else the door does not open.
func TestAnAgentAsksItsOwnPrometheus(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("credentials of the server came along: %v", r.Header)
		}
		if strings.Contains(r.FormValue("query"), "SM_ACTIVE[") {
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, one(`"namespace":"oak","pod":"p"`, "0.5"))
			return
		}
		_, _ = fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	}))
	defer s.Close()
	door, err := NewProxy(s.URL + "/behind/")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Over("tiger", through{door}).Read(context.Background())
	if err != nil || got[Pod{"oak", "p"}] != (Reading{500, fleet.Unmeasured}) {
		t.Errorf("read %v, %v", got, err)
	}
	known := len(asked)
	for _, is := range asked {
		if is != "POST /behind/api/v1/query" {
			t.Errorf("asked was %s", is)
		}
	}
	for _, try := range [][2]string{
		{http.MethodPost, "/api/v1/admin/tsdb/delete_series"}, {http.MethodPut, "/api/v1/query"}, {http.MethodGet, "/"}, {http.MethodPost, "/api/v1/query/../admin"},
	} {
		r := httptest.NewRequest(try[0], "http://tiger"+Path+"/x", nil)
		r.URL.Path = Path + try[1]
		r.Header.Set("Authorization", "Bearer x")
		res, err := through{door}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusForbidden || !strings.Contains(string(text), "no "+try[0]) {
			t.Errorf("%v: %d %s", try, res.StatusCode, text)
		}
	}
	if len(asked) != known {
		t.Errorf("the door has let through %v", asked[known:])
	}
	if _, err := NewProxy("prometheus"); err == nil {
		t.Error("an address that is none is taken")
	}
}

// A server that was taken over asks Prometheus for what GPUs do, and for nothing else.
func TestAnAgentAsksPrometheusNothingElse(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	door, err := NewProxy(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"query=kube_secret_info", tensor.question() + "&query=up", tensor.question() + "&time=1", ""} {
		r := httptest.NewRequest(http.MethodPost, "http://tiger"+Path+"/api/v1/query", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := through{door}.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusForbidden || asked > 0 {
			t.Errorf("%q is let through: %v", body, err)
		}
	}
}
