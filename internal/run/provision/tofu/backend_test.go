package tofu

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A state that comes slowly holds up no other run, and no name leads out of the folder of states.
func TestASlowStateHoldsUpNoOtherRun(t *testing.T) {
	b, err := openBackend(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	slow, other, up := b.enter("run1", "lynx"), b.enter("run2", "puma"), b.enter("run3", "..")
	send := func(ctx context.Context, run, password, cluster string, body io.Reader) (int, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.address+"/?cluster="+cluster+"&project=net", body)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(run, password)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	never, comes := io.Pipe()
	defer comes.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go func() { _, _ = send(ctx, "run1", slow, "lynx", never) }()
	if _, err := comes.Write(make([]byte, 16<<20)); err != nil { // more than the wire holds: the backend reads it
		t.Fatal(err)
	}
	soon, over := context.WithTimeout(t.Context(), 20*time.Second)
	defer over()
	if status, err := send(soon, "run2", other, "puma", strings.NewReader("{}")); err != nil || status != http.StatusOK {
		t.Errorf("another run is answered with %d, %v", status, err)
	}
	if status, _ := send(soon, "run3", up, "..", strings.NewReader("{}")); status != http.StatusUnauthorized {
		t.Errorf("a name that leads out of the folder is answered with %d", status)
	}
}
