package siege

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// foe is a caller with an ordinary token who wants no other caller to be served. It is a process of
// its own (hostile.go).
type foe struct {
	*fort
	by    *http.Client
	token string
	all   sync.WaitGroup

	mu     sync.Mutex
	counts map[string]int
}

// Where the hostile caller comes from, and how long it waits after it was refused.
const (
	foeAddress   = "127.0.0.2"
	afterRefusal = 20 * time.Millisecond
)

func newFoe(f *fort) *foe {
	return &foe{fort: f, by: from(foeAddress), token: tokenOf(hostile), counts: map[string]int{}}
}

// attack begins all attacks. They end with ctx.
func (e *foe) attack(ctx context.Context) {
	for _, a := range attacks() {
		for k := range a.atOnce {
			e.all.Go(func() {
				for n := k; ctx.Err() == nil; n += a.atOnce {
					status, _, err := e.send(ctx, e.by, e.token, a.make(n))
					if e.count(ctx, status, err); status != http.StatusOK {
						rest(ctx, afterRefusal)
					}
				}
			})
		}
	}
	e.guess(ctx)
	e.browse(ctx)
	e.connect(ctx)
}

// rest waits until all attacks have ended.
func (e *foe) rest() {
	e.all.Wait()
	e.by.CloseIdleConnections()
}

// count counts a call by how it was answered. What ends with the siege itself tells nothing.
func (e *foe) count(ctx context.Context, status int, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	word := fmt.Sprint(status)
	if err != nil {
		word = "cut off"
	}
	e.counts[word]++
}

// answered are the foe's calls, by status.
func (e *foe) answered() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.counts)
}

// refused is how calls above what one caller may have are counted.
const refused = "429"

// attack is a call that is sent again and again.
type attack struct {
	name   string
	atOnce int
	make   func(n int) call
}

// always is the same call each time.
func always(c call) func(int) call { return func(int) call { return c } }

// attacks are the calls that are known to be costly.
func attacks() []attack {
	million := strings.Repeat(string([]byte{2<<3 | 2, 0}), 1_000_000)
	return []attack{
		{"344 bytes that are 100,000 workloads", 4, always(packed("WorkloadService/SubmitBatch", many("specs", 100_000)))},
		{"15 million workloads, packed", 2, always(packed("WorkloadService/SubmitBatch", many("specs", 15_000_000)))},
		{"a million workloads of two bytes", 4, always(call{"/muster.v1.WorkloadService/SubmitBatch", "application/proto", "", []byte(million)})},
		{"100,000 questions about flex, packed", 4, always(packed("PastService/FlexOutlook", many("asks", 100_000)))},
		{"lists in lists", 4, always(ask("FleetService/Apply", strings.Repeat(`{"changes":[`, 80_000)))},
		{"10,000 workloads, all wrong", 2, always(ask("WorkloadService/SubmitBatch", many("specs", 10_000)))},
		{"10,000 workloads", 2, func(n int) call { return ask("WorkloadService/SubmitBatch", batch(n)) }},
		{"a dry run", 20, always(ask("WorkloadService/Submit", `{"write":{"dryRun":true},"spec":`+work("dry", 1)+`}`))},
		{"a dry run of 1,000 workloads", 2, always(ask("WorkloadService/SubmitBatch", dryBatch()))},
		{"a hash of the state", 6, always(ask("SystemService/StateHash", `{}`))},
		{"where a large gang fits", 8, always(ask("WorkloadService/Fit", `{"spec":{"namespace":"mallory","pools":[{"name":"w","gpus":8,"replicas":700}]}}`))},
		{"why work waits, and what would help", 8, always(ask("WorkloadService/Why", `{"namespace":"mallory","name":"w0-9999","help":true,"history":true}`))},
		{"the fleet as of a moment ago", 4, func(int) call {
			return ask("CapacityService/Capacity", fmt.Sprintf(`{"asOf":%q}`, time.Now().Add(-2*time.Second).UTC().Format(time.RFC3339Nano)))
		}},
		{"10,000 workloads with their reasons", 8, always(ask("WorkloadService/ListWorkloads", `{"limit":10000,"reasons":true}`))},
		{"all nodes", 8, always(ask("CapacityService/Nodes", `{}`))},
		{"a walk over the log", 8, always(ask("EventService/ListEvents", `{"kinds":["haircut.planned"],"limit":10000}`))},
		{"10,000 records", 8, always(ask("EventService/ListEvents", `{"from":1,"limit":10000}`))},
		{"flex ahead", 4, always(ask("PastService/FlexOutlook", `{"asks":[{"partition":"tiger/h200","gpus":8}]}`))},
		{"a submission", 8, func(n int) call {
			return ask("WorkloadService/Submit", `{"spec":`+work(fmt.Sprintf("s%d-%d", n, time.Now().UnixNano()), 1)+`}`)
		}},
		{"4 MB of nothing", 8, always(call{"/muster.v1.WorkloadService/SubmitBatch", "application/proto", "", make([]byte, 4<<20)})},
	}
}

// many is a list of empty messages in JSON.
func many(list string, n int) string {
	return `{"` + list + `":[{}` + strings.Repeat(",{}", n-1) + `]}`
}

// work is a workload of the foe's in JSON.
func work(name string, gpus int) string {
	return fmt.Sprintf(`{"name":%q,"namespace":"mallory","target":"flex","pools":[{"name":"w","gpus":%d,"replicas":1}]}`, name, gpus)
}

// batch is the n-th batch of the foe's, as large as one may be.
func batch(n int) string { return batchOf(fmt.Sprintf("w%d", n), 10_000, "") }

func dryBatch() string { return batchOf("dry", 1_000, `"write":{"dryRun":true},`) }

func batchOf(name string, n int, before string) string {
	var b strings.Builder
	b.WriteString("{" + before + `"specs":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(work(fmt.Sprintf("%s-%d", name, i), 8))
	}
	b.WriteString("]}")
	return b.String()
}

// packed is a call whose text is compressed as far as it goes.
func packed(path, text string) call {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one of gzip's
	_, _ = io.WriteString(z, text)                        // into memory
	_ = z.Close()
	c := ask(path, "")
	c.body, c.encoding = b.Bytes(), "gzip"
	return c
}

// guess tries one token after the other.
func (e *foe) guess(ctx context.Context) {
	for k := range 4 {
		e.all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				status, _, err := e.send(ctx, e.by, fmt.Sprintf("guess-%d-%d-0123456789abcdef", k, n), ask("SystemService/Status", `{}`))
				e.count(ctx, status, err)
				rest(ctx, afterRefusal/4)
			}
		})
	}
}

// browse opens pages that take long, each another one.
func (e *foe) browse(ctx context.Context) {
	for k := range 16 {
		e.all.Go(func() {
			for n := k; ctx.Err() == nil; n += 16 {
				path := []string{"/run?gpus=8&replicas=%d", "/events?about=w%d", "/workloads?user=u%d", "/queue?target=research/oak&n=%d"}[n%4]
				status, _, err := e.open(ctx, e.by, e.token, fmt.Sprintf(path, n), n%2 == 0)
				if e.count(ctx, status, err); status != http.StatusOK {
					rest(ctx, afterRefusal)
				}
			}
		})
	}
}
