package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	outside "github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// repository is a bare repository, and a copy of it in which a person works.
type repository struct {
	*testing.T
	bare, copy string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	g := &repository{t, filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "copy")}
	g.run("", "init", "--bare", "--quiet", g.bare)
	g.run("", "clone", "--quiet", g.bare, g.copy)
	g.run(g.copy, "commit", "--quiet", "--allow-empty", "-m", "begin")
	g.run(g.copy, "push", "--quiet", "origin", "HEAD:main")
	return g
}

// run runs git as a person does.
func (g *repository) run(folder string, args ...string) {
	g.Helper()
	cmd := exec.CommandContext(g.Context(), "git", append([]string{"-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		g.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// merge brings a branch into the one that counts.
func (g *repository) merge(branch string) {
	g.Helper()
	g.run(g.copy, "fetch", "--quiet", "origin")
	g.run(g.copy, "merge", "--quiet", "-m", branch, "origin/"+branch)
	g.run(g.copy, "push", "--quiet", "origin", "HEAD:main")
}

// azureOf answers what a simulated world counts, as Azure does: each meter on a page of its own.
func azureOf(world *outside.World) *azurequota.Quota {
	return azurequota.New(&azfake.TokenCredential{}, fake.NewUsageServerTransport(&fake.UsageServer{
		NewListPager: func(string, *armcompute.UsageClientListOptions) (p azfake.PagerResponder[armcompute.UsageClientListResponse]) {
			counts, _ := world.Counts(context.Background(), "s1", "east")
			for _, c := range counts {
				u := &armcompute.Usage{Name: &armcompute.UsageName{Value: to.Ptr(c.Meter)}, Limit: to.Ptr(int64(c.Limit)), CurrentValue: to.Ptr(int32(c.Used)), Unit: to.Ptr("Count")}
				p.AddPage(http.StatusOK, armcompute.UsageClientListResponse{ListUsagesResult: armcompute.ListUsagesResult{Value: []*armcompute.Usage{u}}}, nil)
			}
			return p
		},
	}))
}

// builds is a stand-in of Buildkite that answers every third call with a 500 or a 429, and
// loses its answer to the one that creates. A build passes once it was looked at a few times.
type builds struct {
	URL   string
	looks int    // at a build until it has passed
	pause string // that a 429 asks for, in seconds
	only  int    // the status of every answer; 0: as they come
	mu    sync.Mutex
	asked int
	list  []build
}

type build struct {
	Number int            `json:"number"`
	State  string         `json:"state"`
	URL    string         `json:"web_url"`
	Commit string         `json:"commit"`
	Meta   map[string]any `json:"meta_data"`
	looks  int
}

func newBuilds(t *testing.T) *builds {
	t.Helper()
	b := &builds{looks: 4, pause: "30"}
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	b.URL = s.URL
	return b
}

func (b *builds) created() int { b.mu.Lock(); defer b.mu.Unlock(); return len(b.list) }
func (b *builds) calls() int   { b.mu.Lock(); defer b.mu.Unlock(); return b.asked }

// answer lets every answer have a status; 0: none has one of its own.
func (b *builds) answer(status int) { b.mu.Lock(); defer b.mu.Unlock(); b.only = status }

func (b *builds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	switch {
	case b.only != 0:
		w.WriteHeader(b.only)
	case b.asked%6 == 3:
		w.WriteHeader(http.StatusInternalServerError)
	case b.asked%6 == 0:
		w.Header().Set("Retry-After", b.pause)
		w.WriteHeader(http.StatusTooManyRequests)
	case r.Method == http.MethodPost:
		n := build{Number: len(b.list) + 1, State: "running", Commit: "abc", URL: fmt.Sprint("https://buildkite.example/", len(b.list)+1)}
		_ = json.NewDecoder(r.Body).Decode(&struct {
			Meta *map[string]any `json:"meta_data"`
		}{&n.Meta})
		b.list = append(b.list, n)
		w.WriteHeader(http.StatusBadGateway) // its answer is lost
	default:
		b.found(w, r.URL.Query().Get("meta_data[muster-operation]"))
	}
}

// found answers with the builds of an operation.
func (b *builds) found(w http.ResponseWriter, operation string) {
	found := []build{}
	for i := range b.list {
		if is := &b.list[i]; is.Meta["muster-operation"] == operation {
			if is.looks++; is.looks > b.looks {
				is.State = "passed"
			}
			found = append(found, *is)
		}
	}
	_ = json.NewEncoder(w).Encode(found)
}

// projects runs the example's projects with the real program. It answers once the program
// has ended, so that no time of the walk passes meanwhile.
type projects struct{ *tofu.Runner }

func newProjects(t *testing.T, o tofu.Options) projects {
	t.Helper()
	var err error
	if o.Program, err = (&tofuOptions{}).find(); err != nil {
		t.Skip("neither tofu nor terraform is installed here")
	}
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	r, err := tofu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return projects{r}
}

// lookEvery is how often the program is asked whether it has ended.
const lookEvery = 5 * time.Millisecond

func (p projects) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	for {
		is, found, err := p.Runner.Find(ctx, o)
		if err != nil || !found || is.State != fleet.OperationRunning || ctx.Err() != nil {
			return is, found, err
		}
		time.Sleep(lookEvery)
	}
}

func (p projects) Look(ctx context.Context, s provision.Subject) ([]fleet.StepEvidence, error) {
	for {
		seen, err := p.Runner.Look(ctx, s)
		if err != nil || len(seen) > 0 || !slices.Contains(s.Done, fleet.StepPipeline) || ctx.Err() != nil {
			return seen, err
		}
		time.Sleep(lookEvery)
	}
}

func (p projects) Knows(s provision.Subject, since fleet.Instant) (bool, string) {
	for {
		knows, missing := p.Runner.Knows(s, since)
		if missing != "its projects have not been planned since" {
			return knows, missing
		}
		time.Sleep(lookEvery)
	}
}
