package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func TestARepeatedCommandIsDoneOnce(t *testing.T) {
	h := furnished(t)
	once := &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "k1"}, Spec: gang("a", "flex", 1)}
	first, err := h.Workloads.Submit(t.Context(), once)
	must(t, err)
	h.submit(gang("meanwhile", "flex", 1))
	again, err := h.Workloads.Submit(t.Context(), once)
	must(t, err)
	equal(t, "repeat", again.GetWritten().GetRepeat(), true)
	equal(t, "version", again.GetWritten().GetVersion(), first.GetWritten().GetVersion())
	equal(t, "workload", again.GetId(), first.GetId())

	_, err = h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "k1"}, Spec: gang("b", "flex", 1)})
	if !client.Refused(err, client.KeyReused) {
		t.Errorf("the same key for another command: %v, want KeyReused", err)
	}
}

// The key of a header counts as that of the message does.
func TestTheKeyMayComeInAHeader(t *testing.T) {
	h := furnished(t)
	var versions []string
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.QuotaService/CreateQuota", strings.NewReader(`{"path":"research/elm"}`))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k2")
		body := sent(t, r, http.StatusOK)
		var answer struct{ Written struct{ Version string } }
		must(t, json.Unmarshal(body, &answer))
		versions = append(versions, answer.Written.Version)
	}
	equal(t, "version of the second answer", versions[1], versions[0])
}

// sent sends a request and reads the answer, which must have a status.
func sent(t *testing.T, r *http.Request, status int) []byte {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != status {
		t.Fatalf("%s %s: %s: %s", r.Method, r.URL.Path, answer.Status, body)
	}
	return body
}

// An answer that is lost on the way is asked for again, and the command is not done twice.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	h := furnished(t)
	calls := 0
	c := client.New(client.Options{Address: h.url, HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		calls++
		answer, err := http.DefaultTransport.RoundTrip(r)
		if calls == 1 && err == nil {
			_ = answer.Body.Close()
			return nil, errors.New("the cable was cut")
		}
		return answer, err
	})}})
	before := h.version()
	answer, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("a", "flex", 1)})
	must(t, err)
	equal(t, "calls", calls, 2)
	equal(t, "repeat", answer.GetWritten().GetRepeat(), true)
	equal(t, "records", h.version()-before, 1)
}

func TestWithoutAServerTheClientSaysSo(t *testing.T) {
	c := client.New(client.Options{Address: "127.0.0.1:1", Retries: -1})
	_, err := c.System.Status(t.Context(), &musterv1.StatusRequest{})
	var nobody *client.Unreachable
	if !errors.As(err, &nobody) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v, want Unreachable with the address", err)
	}
}

// A dry run of each kind of command says what would happen and changes nothing.
func TestADryRunChangesNothing(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	version, hash := h.version(), h.hash()
	dry := &musterv1.Write{DryRun: true, IdempotencyKey: "tried"}
	submitted, err := h.Workloads.Submit(ctx, &musterv1.SubmitRequest{Write: dry, Spec: gang("a", "research/oak", 2)})
	must(t, err)
	applied, err := h.Fleet.Apply(ctx, &musterv1.ApplyRequest{Write: dry, Changes: []*musterv1.Change{
		{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "lion"}}},
		{Change: &musterv1.Change_SetPolicy{SetPolicy: &musterv1.SetPolicyRequest{Policy: &musterv1.Policy{Buffer: &musterv1.Buffer{Share: 0.5}}}}},
	}})
	must(t, err)
	placed, err := h.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Write: dry, Quota: "research/oak", Partition: "tiger/h200", Gpus: 64})
	must(t, err)
	for what, w := range map[string]*musterv1.Written{"submit": submitted.GetWritten(), "apply": applied.GetWritten(), "grant": placed.GetWritten()} {
		equal(t, what+": dry run", w.GetDryRun(), true)
		equal(t, what+": version that it would lead to", w.GetVersion(), version+1)
		if len(w.GetEvents()) == 0 {
			t.Errorf("%s: it does not say what would happen", what)
		}
	}
	equal(t, "first event of the submit", submitted.GetWritten().GetEvents()[0].GetKind(), "workload.submitted")
	equal(t, "version", h.version(), version)
	equal(t, "state", h.hash(), hash)

	done, err := h.Workloads.Submit(ctx, &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "tried"}, Spec: gang("a", "research/oak", 2)})
	must(t, err)
	equal(t, "repeat, of what was only tried", done.GetWritten().GetRepeat(), false)
}

func TestABatchIsDoneWholeOrNotAtAll(t *testing.T) {
	h := furnished(t)
	before := h.version()
	_, err := h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Changes: []*musterv1.Change{
		{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "lion"}}},
		{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "tiger"}}},
	}})
	if !client.Refused(err, client.NameTaken) {
		t.Errorf("got %v, want NameTaken", err)
	}
	equal(t, "version", h.version(), before)
}

// What is too large is refused by what it says of its size, or where it goes past the limit.
func TestOversizedInputIsRefused(t *testing.T) {
	h := furnished(t)
	before := h.version()
	huge := `{"spec":{"name":"` + strings.Repeat("a", 10<<20) + `"}}`
	for what, body := range map[string]io.Reader{
		"with its size":    strings.NewReader(huge),
		"without its size": io.MultiReader(strings.NewReader(huge)),
		"as noise":         bytes.NewReader(make([]byte, 5<<20)),
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.WorkloadService/Submit", body)
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // cut off before all of it was sent: refused even so
		}
		text, err := io.ReadAll(answer.Body)
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode < 400 || len(text) > 10_000 {
			t.Errorf("%s: %s, %d bytes", what, answer.Status, len(text))
		}
	}
	_, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang(strings.Repeat("a", 10<<20), "flex", 1)})
	wantMistake(t, err, "request", "at most 1048576")
	equal(t, "version", h.version(), before)
}
