package api_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What one call of any caller may cost: memory beyond the idle server's, and time.
const mostMemory = 64 << 20

// mostTime is a second on a machine without other work, which MUSTER_LOAD says it is. Elsewhere it
// is ten, which still tells the faults that were found: each took half a minute or more.
var mostTime = func() time.Duration {
	if os.Getenv("MUSTER_LOAD") != "" {
		return time.Second
	}
	return 10 * time.Second
}()

// packed is a text as it travels.
func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(t, err)
	_, err = io.WriteString(z, text)
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// sendRaw sends bytes to a procedure, and says what came back.
func (h *house) sendRaw(procedure, kind, encoding string, body []byte) (status int, answer []byte) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url+procedure, bytes.NewReader(body))
	must(h.t, err)
	r.Header.Set("Content-Type", kind)
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	return answered(h.t, r)
}

// answered sends a request, and says what came back.
func answered(t testing.TB, r *http.Request) (status int, answer []byte) {
	t.Helper()
	res, err := http.DefaultClient.Do(r)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, answer
}

// get asks by GET, and says what came back.
func (h *house) get(address string) (status int, answer []byte) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.url+address, http.NoBody)
	must(h.t, err)
	return answered(h.t, r)
}

// emptyList is a request of many empty messages, as few bytes say it.
func emptyList(list string, n int) string {
	return `{"` + list + `":[{}` + strings.Repeat(",{}", n-1) + `]}`
}

// A few bytes that unpack to many, and many messages that are a few bytes, cost the server
// neither memory nor time, and are answered in a line.
func TestHostileRequestsCostLittle(t *testing.T) {
	h := furnished(t)
	million := make([]byte, 2_000_000)
	for i := 0; i < len(million); i += 2 {
		million[i] = 2<<3 | 2 // specs, of no bytes each
	}
	cases := []struct {
		what, procedure, kind, encoding string
		body                            []byte
	}{
		{"344 bytes that are 100,000 workloads", "/muster.v1.WorkloadService/SubmitBatch", "application/json", "gzip", packed(t, emptyList("specs", 100_000))},
		{"15 million workloads", "/muster.v1.WorkloadService/SubmitBatch", "application/json", "gzip", packed(t, emptyList("specs", 15_000_000))},
		{"a million workloads of two bytes", "/muster.v1.WorkloadService/SubmitBatch", "application/proto", "", million},
		{"as many as a batch may have, all wrong", "/muster.v1.WorkloadService/SubmitBatch", "application/json", "", []byte(emptyList("specs", 10_000))},
		{"a few, all wrong", "/muster.v1.WorkloadService/SubmitBatch", "application/json", "", []byte(emptyList("specs", 100))},
		{"a hundred thousand questions", "/muster.v1.PastService/FlexOutlook", "application/json", "gzip", packed(t, emptyList("asks", 100_000))},
		{"as many questions as may be", "/muster.v1.PastService/FlexOutlook", "application/json", "", []byte(emptyList("asks", 1000))},
		{"lists in lists", "/muster.v1.FleetService/Apply", "application/json", "", []byte(strings.Repeat(`{"changes":[`, 100_000))},
		{"signals of nothing", "/muster.v1.HealthService/SendSignals", "application/json", "gzip", packed(t, emptyList("signals", 20_000))},
		{"blanks", "/muster.v1.SystemService/Status", "application/json", "gzip", packed(t, "{"+strings.Repeat(" ", 50_000_000)+"}")},
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			status, answer := 0, []byte(nil)
			used, took := cost(func() { status, answer = h.sendRaw(c.procedure, c.kind, c.encoding, c.body) })
			if status < 400 || status >= 500 || len(answer) > 16<<10 {
				t.Errorf("status %d, %d bytes: %.200s", status, len(answer), answer)
			}
			if used > mostMemory || took > mostTime {
				t.Errorf("it took %d MB and %v", used>>20, took)
			}
			t.Logf("%d bytes in; %d MB, %v; %.120s", len(c.body), used>>20, took.Round(time.Millisecond), answer)
		})
	}
}

// Four at once cost no more than four.
func TestFourHostileRequestsAtOnce(t *testing.T) {
	h := furnished(t)
	body := packed(t, emptyList("specs", 100_000))
	used, took := cost(func() {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { h.sendRaw("/muster.v1.WorkloadService/SubmitBatch", "application/json", "gzip", body) })
		}
		all.Wait()
	})
	if used > mostMemory || took > mostTime {
		t.Errorf("they took %d MB and %v", used>>20, took)
	}
}

// cost is what a call allocates in all, which is more than it has at any one time, and how
// long it takes.
func cost(call func()) (bytes uint64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	call()
	took = time.Since(began)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// What is wrong with a request is told in few words, however long the value is that is wrong.
func TestAMistakeIsToldInFewWords(t *testing.T) {
	h := furnished(t)
	long := strings.Repeat("7", 3_900_000)
	for what, body := range map[string]string{
		"a number":          `{"specs":[{"pools":[{"gpus":` + long + `}]}]}`,
		"a key":             `{"` + long + `":1}`,
		"a length of time":  `{"specs":[{"maxRuntime":"` + long + `"}]}`,
		"a name":            `{"specs":[{"name":"` + long + `"}]}`,
		"what is no number": `{"specs":[{"pools":[{"gpus":"` + long + `x"}]}]}`,
	} {
		status, answer := h.sendRaw("/muster.v1.WorkloadService/SubmitBatch", "application/json", "", []byte(body))
		equal(t, what, status, http.StatusBadRequest)
		if len(answer) > 4<<10 {
			t.Errorf("%s: the answer has %d bytes", what, len(answer))
		}
	}
}

// A batch as large as one may be is taken in time, and in pieces, between which others' commands are decided.
func TestALargeBatchIsTakenInTime(t *testing.T) {
	h := furnished(t)
	m := &musterv1.SubmitBatchRequest{}
	for i := range 10_000 {
		m.Specs = append(m.Specs, gang(fmt.Sprintf("w%d", i), "research/oak", 1))
	}
	body, err := proto.Marshal(m)
	must(t, err)
	status, before := 0, h.version()
	used, took := cost(func() { status, _ = h.sendRaw("/muster.v1.WorkloadService/SubmitBatch", "application/proto", "", body) })
	equal(t, "status", status, http.StatusOK)
	t.Logf("%d bytes: %d MB in all, %v", len(body), used>>20, took)
	if pieces := h.version() - before; pieces < 100 {
		t.Errorf("10,000 workloads are %d decisions: others wait for each of them", pieces)
	}
	if took > 3*mostTime { // its checks and decisions; others are not held up (engine)
		t.Errorf("it took %v", took)
	}
}

// A list that is longer than one answer comes in several; clients see one.
func TestLongListsComeInAnswersOfBoundedSize(t *testing.T) {
	h := furnished(t)
	m := &musterv1.SubmitBatchRequest{}
	for i := range 6000 {
		m.Specs = append(m.Specs, gang(fmt.Sprintf("%0200d", i), "research/oak", 1))
	}
	_, err := h.Workloads.SubmitBatch(t.Context(), m)
	must(t, err)
	limited := &musterv1.ListWorkloadsRequest{Limit: 10_000}
	body, err := proto.Marshal(limited)
	must(t, err)
	_, answer := h.sendRaw("/muster.v1.WorkloadService/ListWorkloads", "application/proto", "", body)
	if len(answer) > 1_000_000 {
		t.Errorf("one answer has %d bytes", len(answer))
	}
	status, answer := h.sendRaw("/muster.v1.WorkloadService/ListWorkloads", "application/json", "", []byte(`{"limit":10000}`))
	if status != http.StatusOK || len(answer) > 1_000_000 {
		t.Errorf("in JSON one answer has %d bytes: %d", len(answer), status)
	}
	status, answer = h.get("/muster.v1.WorkloadService/ListWorkloads?connect=v1&encoding=json&message=" + url.QueryEscape(`{"limit":10000}`))
	if status != http.StatusOK || len(answer) > 1_000_000 {
		t.Errorf("in JSON by GET one answer has %d bytes: %d", len(answer), status)
	}
	all, err := h.Workloads.ListWorkloads(t.Context(), limited)
	must(t, err)
	equal(t, "workloads in all", len(all.GetWorkloads()), 6000)
	equal(t, "the limit of the request, afterwards", limited.GetLimit(), 10_000)
	some, err := h.Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{Limit: 4500})
	must(t, err)
	equal(t, "workloads up to a limit", len(some.GetWorkloads()), 4500)
	if some.GetNext() == 0 {
		t.Error("nothing is said of the others")
	}
	short := &musterv1.SubmitBatchRequest{}
	for i := range 4000 {
		short.Specs = append(short.Specs, gang(fmt.Sprint("w", i), "research/oak", 1))
	}
	_, err = h.Workloads.SubmitBatch(t.Context(), short)
	must(t, err)
	status, answer = h.sendRaw("/muster.v1.WorkloadService/ListWorkloads", "application/json", "", []byte(`{"limit":10000,"newestFirst":true}`))
	if status != http.StatusOK {
		t.Errorf("in JSON, where entries are mostly names of fields: %d %.200s", status, answer)
	}
}
