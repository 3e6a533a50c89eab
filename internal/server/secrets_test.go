package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/run/notify"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// planted are secrets, each of which an adapter is handed, and an outside that says all it
// knows repeats.
var planted = map[string]string{
	"the token of Buildkite":                 "bkua-planted-1f77",
	"the password in the check-in's address": "planted/p@ss-2a91",
	"the token of the projects' repository":  "ghp-planted-3c04",
	"the secret of the cloud's client":       "azure~planted.4d55",
	"a variable by env":                      "planted \"db\" 5e66",
	"a variable by file":                     "-----BEGIN KEY-----\nplanted-line-6f77\nplanted-line-7a88\n-----END KEY-----",
}

// gossip answers every call with no, and repeats what it was told, also as it was before it
// was packed for a header.
func gossip(w http.ResponseWriter, r *http.Request) {
	says := r.Header.Get("Authorization")
	if packed, is := strings.CutPrefix(says, "Basic "); is {
		plain, _ := base64.StdEncoding.DecodeString(packed)
		says += " which is " + string(plain)
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusForbidden)
	if strings.HasPrefix(r.URL.Path, "/v2/") {
		_ = json.NewEncoder(w).Encode(map[string]string{"message": "no rights for " + says})
		return
	}
	_, _ = w.Write([]byte("no rights for " + says + "\n"))
}

// tokenless is an identity that gets no token, and says with what it asked.
type tokenless struct{}

func (tokenless) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{}, errors.New("invalid client, client_secret=" + planted["the secret of the cloud's client"])
}

// clouds counts subscription s1 in a simulated world, and any other by Azure's adapter.
type clouds struct{ s1, others provision.Cloud }

func (c clouds) Counts(ctx context.Context, subscription, region string) ([]fleet.CloudCount, error) {
	if subscription == "s1" {
		return c.s1.Counts(ctx, subscription, region)
	}
	return c.others.Counts(ctx, subscription, region)
}

// leaks are projects that say their secrets: one while it is applied, in its outputs and in
// its state, one in its error.
const (
	leaksAndPasses = `variable "db_password" { sensitive = true }
variable "key" {}
resource "terraform_data" "node" {
  input = "${var.db_password} ${var.key}"
  provisioner "local-exec" {
    command     = "echo the password is \"$DB\"; echo \"$KEY\""
    environment = { DB = nonsensitive(var.db_password), KEY = var.key }
  }
}
output "key" { value = var.key }
`
	leaksAndFails = `variable "db_password" { sensitive = true }
resource "terraform_data" "node" {
  lifecycle {
    precondition {
      condition     = nonsensitive(var.db_password) == ""
      error_message = "the password must not be ${nonsensitive(var.db_password)}"
    }
  }
}
`
)

// secretWalk builds clusters with every adapter, each of which has a secret and fails with it.
type secretWalk struct {
	*walk
	folder string // of the projects' runs
	log    bytes.Buffer
}

func newSecretWalk(t *testing.T) *secretWalk {
	t.Helper()
	w := &secretWalk{walk: newWalk(t), folder: t.TempDir()}
	write := func(folder, name, text string) string {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("AZURE_CLIENT_SECRET", planted["the secret of the cloud's client"])
	t.Setenv("PLANTED_DB", planted["a variable by env"])
	outside := httptest.NewServer(http.HandlerFunc(gossip))
	t.Cleanup(outside.Close)
	dir := t.TempDir()
	write(dir, "secrets/key.pem", planted["a variable by file"])
	write(dir, "projects/good/main.tf", leaksAndPasses)
	write(dir, "projects/bad/main.tf", leaksAndFails)
	address := strings.Replace(outside.URL, "http://", "http://ada:planted%2Fp%40ss-2a91@", 1) + "/clusters.git"
	o := outsideOptions{
		CheckinRepository: address, BuildkiteToken: write(dir, "buildkite", planted["the token of Buildkite"]+"\n"),
		Tofu: tofuOptions{Projects: filepath.Join(dir, "projects"), Token: write(dir, "tofu", planted["the token of the projects' repository"])},
	}
	by, mask, err := o.adapters()
	if err != nil {
		t.Fatal(err)
	}
	by[fleet.StepPipeline].(*buildkite.Pipeline).Address = outside.URL
	for _, step := range fleet.Steps() {
		if by[step] == nil {
			by[step] = w.world
		}
	}
	source := tofu.NewSource(o.Tofu.Projects, "", planted["the token of the projects' repository"])
	p := newProjects(t, tofu.Options{Source: source, Folder: w.folder, Secrets: filepath.Join(dir, "secrets"), Env: []string{"PLANTED_DB"}, Now: w.wall})
	w.open(by, p, provision.Options{
		Clouds: map[string]provision.Cloud{"azure": clouds{w.world, azurequota.New(tokenless{}, nil)}},
		Mask:   mask, Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return w
}

// plan enters a cluster for each way in which a secret is used.
func (w *secretWalk) plan() {
	w.Helper()
	w.world.SetCloud("s1", "east", fleet.CloudCount{Meter: "cores", Limit: 10_000})
	for name, b := range map[string]fleet.Blueprint{
		"lynx":   {Checkin: fleet.CheckinGit, Runner: "buildkite:acme/clusters"},
		"puma":   {Checkin: fleet.CheckinInventory, Runner: "buildkite:acme/clusters"},
		"otter":  {Checkin: fleet.CheckinInventory, Runner: tofu.Word, Projects: []string{"good"}},
		"lion":   {Checkin: fleet.CheckinInventory, Runner: tofu.Word, Projects: []string{"bad"}},
		"serval": {Checkin: fleet.CheckinInventory, Runner: tofu.Word, Projects: []string{"good"}},
	} {
		b.Name, b.Version, b.Mode, b.Meters = "of-"+name, 1, fleet.Shadow, []fleet.Meter{{Meter: "cores", PerNode: 96}}
		r := fleet.ClusterRecord{Name: name, Provider: "azure", Subscription: "s1", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: b.Name}
		r.Islands, r.Variables = []fleet.RecordIsland{{Name: "a", Nodes: 1}}, map[string]string{"db_password": "env:PLANTED_DB", "key": "file:key.pem"}
		if name == "serval" {
			r.Subscription = "s2"
		}
		w.do(core.AddBlueprint{Blueprint: b})
		w.do(core.PlanCluster{Record: r})
	}
}

// everything is what the server shows, keeps and writes, by where it stands. States of
// projects are apart: they hold what projects put there, and only their user may read them.
func (w *secretWalk) everything() map[string]string {
	w.Helper()
	all := map[string]string{"the log": w.log.String()}
	var journal strings.Builder
	if err := w.engine.Records(w.Context(), 0, func(r event.Record) error {
		data, err := json.Marshal(r)
		journal.Write(data)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	all["the journal"] = journal.String()
	all["webhooks"] = w.notices()
	w.visit(all)
	_ = filepath.WalkDir(w.folder, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == "states" || err != nil {
			return fs.SkipDir
		}
		if data, err := os.ReadFile(path); err == nil && !d.IsDir() {
			name, _ := filepath.Rel(w.folder, path)
			all["file "+name] = string(data)
		}
		return nil
	})
	return all
}

// notices is what every webhook about these clusters says.
func (w *secretWalk) notices() string {
	w.Helper()
	var list []notify.Notice
	if err := w.engine.Records(w.Context(), 0, func(r event.Record) error {
		w.engine.Read(func(s *fleet.State) { list = append(list, notify.Notices(s, r)...) })
		return nil
	}); err != nil {
		w.Fatal(err)
	}
	data, err := json.Marshal(list)
	if err != nil {
		w.Fatal(err)
	}
	return string(data)
}

// visit reads pages, calls and what is refused.
func (w *secretWalk) visit(all map[string]string) {
	w.Helper()
	var shown *web.Server
	calls, err := api.New(api.Options{
		Engine: decider{w.engine, metrics.New(w.engine.Read)}, Now: w.wall, Version: "test",
		Logs: func(operation string) (string, bool, error) {
			text, cut, err := tofu.TailOf(w.folder, operation, mostOfLog)
			return string(text), cut, err
		},
		Rest: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { shown.ServeHTTP(out, r) }),
	})
	if err != nil {
		w.Fatal(err)
	}
	defer calls.Stop()
	shown = web.New(web.Options{API: calls.Handler(), Watch: w.engine.Watch, Last: w.engine.Durable, Now: w.wall, Version: "test"})
	at := httptest.NewServer(calls.Handler())
	defer at.Close()
	ask := func(method, path, body string) {
		r, _ := http.NewRequestWithContext(w.Context(), method, at.URL+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			w.Fatal(err)
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			w.Fatal(err)
		}
		all[path+" "+body] = string(data)
	}
	for _, path := range []string{"/build-out", "/build-out/lynx", "/build-out/puma", "/build-out/otter", "/build-out/lion", "/build-out/serval", "/part/cluster-log?cluster=otter", "/part/cluster-log?cluster=lion", "/cloud-quota", "/coming", "/events", "/"} {
		ask("GET", path, "")
	}
	const buildout = "/muster.v1.BuildoutService/"
	ask("GET", "/v1/inventory", "")
	for _, c := range [][2]string{
		{buildout + "ListClusters", "{}"},
		{buildout + "CloudQuota", "{}"},
		{buildout + "ListBlueprints", "{}"},
		{"/muster.v1.EventService/ListEvents", `{"limit": 10000}`},
		{buildout + "GetCluster", `{"cluster": "lynx"}`},
		{buildout + "GetCluster", `{"cluster": "puma"}`},
		{buildout + "GetCluster", `{"cluster": "otter"}`},
		{buildout + "GetCluster", `{"cluster": "lion"}`},
		{buildout + "GetCluster", `{"cluster": "serval"}`},
		{buildout + "GetClusterLog", `{"cluster": "otter"}`},
		{buildout + "SteerCluster", `{"cluster": "lion", "do": "unblock"}`},
	} {
		ask("POST", c[0], c[1])
	}
}

// Every adapter has a secret, and fails or speaks with it in its words; the secrets stand
// nowhere that people or programs look at, and neither does what a project puts into its state.
func TestSecretsAreNowhere(t *testing.T) {
	w := newSecretWalk(t)
	w.plan()
	for end := w.now().Add(40 * time.Minute); w.now() < end; {
		w.turn()
	}
	all := w.everything()
	for where, text := range all {
		for what, secret := range planted {
			for line := range strings.Lines(secret) {
				line = strings.TrimSpace(line)
				if strings.Contains(text, line) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(secret))) {
					t.Errorf("%s shows %s: …%s…", where, what, around(text, line))
				}
			}
		}
	}
	for where, want := range map[string][]string{ // each did say something, without its secret
		"the journal":                       {"no rights for Bearer ***", "which is ada:***", "client_secret=***", "the password must not be ***", "good at"},
		"file runs/otter.pipeline.g1.1/log": {"the password is ***"},
		"webhooks":                          {"waits for a person: BootstrapSucceeded"},
		"/build-out/puma ":                  {"no rights for Bearer ***"},
		"/part/cluster-log?cluster=otter ":  {"the password is ***"},
		"/cloud-quota ":                     {"client_secret=***"},
	} {
		for _, text := range want {
			if !strings.Contains(all[where], text) {
				t.Errorf("%s does not say %q: the test sees nothing. It says %.2000s", where, text, all[where])
			}
		}
	}
	w.states()
}

func around(text, part string) string {
	at := max(0, strings.Index(text, part))
	return text[max(0, at-80):min(len(text), at+80)]
}

// states are their user's alone.
func (w *secretWalk) states() {
	w.Helper()
	files, _ := filepath.Glob(filepath.Join(w.folder, "states", "*", "*"))
	found := false
	for _, file := range files {
		data, err := os.ReadFile(file)
		info, problem := os.Stat(file)
		if err != nil || problem != nil || info.Mode().Perm()&0o077 != 0 {
			w.Errorf("%s: %v, %v, %v", file, err, problem, info.Mode())
		}
		found = found || bytes.Contains(data, []byte("planted-line-6f77"))
	}
	if !found {
		w.Errorf("no state holds what the project put there: %v", files)
	}
}
