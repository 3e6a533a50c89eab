package scalesets

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// azure stands in for Azure's API: it keeps scale sets by resource group, carries changes as
// operations that take a while, and refuses as it is told.
type azure struct {
	t         *testing.T
	url, cert string
	mu        sync.Mutex
	groups    map[string]*cloudGroup
	work      map[string]*cloudWork // by the path at which it is asked about
}

// cloudGroup is a resource group, with what Azure does there.
type cloudGroup struct {
	sets    map[string]object // by name
	refuses *refusal          // every change
	fails   *refusal          // what has begun ends so
	holds   bool              // what has begun goes on
	tried   map[string]int    // changes that were asked for, by scale set
	begun   map[string]int    // changes that were taken
	deleted map[string]int
}

// refusal is an error as Azure words it.
type refusal struct {
	status        int
	code, message string
}

func (r refusal) body() object { return object{"error": object{"code": r.code, "message": r.message}} }

// cloudWork is one operation. It was asked about so often.
type cloudWork struct {
	group *cloudGroup
	name  string
	want  object // nil: it removes
	asked int
	over  string
}

func newAzure(t *testing.T) *azure {
	t.Helper()
	a := &azure{t: t, groups: map[string]*cloudGroup{}, work: map[string]*cloudWork{}}
	server := httptest.NewTLSServer(http.HandlerFunc(a.answer))
	t.Cleanup(server.Close)
	a.url, a.cert = server.URL, filepath.Join(t.TempDir(), "azure.crt")
	if err := os.WriteFile(a.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// in reads or changes a resource group.
func (a *azure) in(name string, do func(*cloudGroup)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do(a.groupOf(name))
}

func (a *azure) groupOf(name string) *cloudGroup {
	if a.groups[name] == nil {
		a.groups[name] = &cloudGroup{sets: map[string]object{}, tried: map[string]int{}, begun: map[string]int{}, deleted: map[string]int{}}
	}
	return a.groups[name]
}

// polled says whether all that goes on in a resource group was asked about: then who began it has noted it.
func (a *azure) polled(name string, want int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, w := range a.work {
		if w.group == a.groups[name] && w.over == "" && w.asked > 0 {
			n++
		}
	}
	return n == want
}

func (a *azure) answer(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	status, body := a.do(w.Header(), r)
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

func (a *azure) do(header http.Header, r *http.Request) (int, object) {
	if r.URL.Path == "/msi/token" {
		return http.StatusOK, object{"access_token": "token", "expires_on": "4102444800", "resource": a.url, "token_type": "Bearer"}
	}
	if r.Header.Get("Authorization") != "Bearer token" {
		return http.StatusUnauthorized, refusal{code: "AuthenticationFailed", message: "Authentication failed."}.body()
	}
	if w := a.work[r.URL.Path]; w != nil {
		return http.StatusOK, w.stands()
	}
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(part) != 8 || part[2] != "resourceGroups" || part[6] != "virtualMachineScaleSets" {
		return http.StatusNotFound, refusal{code: "InvalidResourceType", message: r.URL.Path}.body()
	}
	g, name := a.groupOf(part[3]), part[7]
	switch is := g.sets[name]; {
	case r.Method == http.MethodPut:
		return a.put(header, g, name, r)
	case is == nil:
		return http.StatusNotFound, refusal{code: "ResourceNotFound", message: "The Resource " + name + " was not found."}.body()
	case r.Method == http.MethodDelete:
		g.deleted[name]++
		a.begin(header, &cloudWork{group: g, name: name})
		return http.StatusAccepted, nil
	default:
		return http.StatusOK, is
	}
}

func (a *azure) put(header http.Header, g *cloudGroup, name string, r *http.Request) (int, object) {
	g.tried[name]++
	if no := g.refuses; no != nil {
		if no.status == http.StatusTooManyRequests {
			header.Set("Retry-After", "1")
		}
		return no.status, no.body()
	}
	var want object
	if err := json.NewDecoder(r.Body).Decode(&want); err != nil {
		return http.StatusBadRequest, refusal{code: "InvalidRequestContent", message: err.Error()}.body()
	}
	g.begun[name]++
	want["id"], want["name"], want["type"] = r.URL.Path, name, "Microsoft.Compute/virtualMachineScaleSets"
	more, _ := want["properties"].(object)
	if more == nil {
		more = object{}
	}
	more["provisioningState"] = "Creating"
	want["properties"] = more
	a.begin(header, &cloudWork{group: g, name: name, want: want})
	return http.StatusCreated, want
}

func (a *azure) begin(header http.Header, w *cloudWork) {
	at := fmt.Sprintf("/subscriptions/s1/providers/Microsoft.Compute/locations/eastus/operations/%d", len(a.work)+1)
	a.work[at] = w
	header.Set("Azure-AsyncOperation", a.url+at)
	header.Set("Retry-After", "1")
}

// stands says how an operation stands, and lets it end where nothing holds it.
func (w *cloudWork) stands() object {
	w.asked++
	switch {
	case w.over != "":
	case w.group.holds || w.asked < 2:
		return object{"status": "InProgress"}
	case w.group.fails != nil && w.want != nil:
		w.over = "Failed"
		return object{"status": w.over, "error": w.group.fails.body()["error"]}
	default:
		w.over = "Succeeded"
		w.end()
	}
	return object{"status": w.over}
}

func (w *cloudWork) end() {
	if w.want == nil {
		delete(w.group.sets, w.name)
		return
	}
	w.want["properties"].(object)["provisioningState"] = "Succeeded"
	w.group.sets[w.name] = w.want
}
