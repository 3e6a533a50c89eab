package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/executor/scheduledevents"
)

// host is a node with its machine: an API server that keeps one node, and Azure's metadata address.
type host struct {
	t        *testing.T
	node     corev1.Node
	patches  int
	events   string
	approved []string
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case strings.HasPrefix(r.URL.Path, "/metadata/instance"):
		_, _ = io.WriteString(w, "np_0")
	case r.Method == http.MethodPost:
		h.approved = append(h.approved, string(body))
	case strings.HasPrefix(r.URL.Path, "/metadata"):
		_, _ = io.WriteString(w, `{"DocumentIncarnation":1,"Events":[`+h.events+`]}`)
	case r.Method == http.MethodPatch:
		h.patch(body)
		fallthrough
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&h.node)
	}
}

// patch merges conditions by their types.
func (h *host) patch(body []byte) {
	var is corev1.Node
	if err := json.Unmarshal(body, &is); err != nil {
		h.t.Error(err)
	}
	h.patches++
	for _, c := range is.Status.Conditions {
		h.set(c)
	}
}

func (h *host) set(c corev1.NodeCondition) {
	if was := conditionNamed(&h.node, string(c.Type)); was != nil {
		*was = c
		return
	}
	h.node.Status.Conditions = append(h.node.Status.Conditions, c)
}

// A node shows what Azure has scheduled for it, lets Azure begin once Muster has emptied it for that very event, and says when it is over.
func TestANodeShowsItsEventsAndApprovesThem(t *testing.T) {
	now := time.Date(2026, 4, 11, 22, 11, 0, 0, time.UTC)
	at := now.Add(15 * time.Minute)
	h := &host{t: t}
	h.node.Name, h.node.Kind, h.node.APIVersion = "n1", "Node", "v1"
	h.events = fmt.Sprintf(`{"EventId":"C7","EventType":"Reboot","Resources":["np_0"],"EventStatus":"Scheduled","NotBefore":%q,"DurationInSeconds":540},
		{"EventId":"D8","EventType":"Freeze","Resources":["np_1"],"EventStatus":"Scheduled","NotBefore":%q}`, at.Format(http.TimeFormat), at.Format(http.TimeFormat))
	server := httptest.NewServer(h)
	defer server.Close()
	client, err := connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	a := &NodeAgent{Node: "n1", Client: client, Events: scheduledevents.New(server.URL), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	turn := func() {
		t.Helper()
		if err := a.Turn(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o := translate.Defaults("tiger")
	turn()
	turn()
	said := translate.NodeOf(&h.node, &o).Announced
	if len(said) != 1 || said[0].Name("n1") != translate.EventNotice("n1", "C7", at) || h.patches != 1 || len(h.approved) != 0 {
		t.Fatalf("it says %+v after %d patches, approved %v", said, h.patches, h.approved)
	}
	h.set(corev1.NodeCondition{Type: translate.StageDrained, Status: corev1.ConditionTrue, Message: "The node is under maintenance for driver-580."})
	if turn(); len(h.approved) != 0 {
		t.Fatalf("emptied for something else it approved %v", h.approved)
	}
	h.set(corev1.NodeCondition{Type: translate.StageDrained, Status: corev1.ConditionTrue, Message: "The node is under maintenance for " + said[0].Name("n1") + ", and should be back soon."})
	turn()
	if turn(); len(h.approved) != 1 || h.approved[0] != `{"StartRequests":[{"EventId":"C7"}]}` {
		t.Errorf("it approved %v", h.approved)
	}
	h.events = `{"EventId":"C7","EventType":"Reboot","Resources":["np_0"],"EventStatus":"Started","NotBefore":"","DurationInSeconds":540}`
	if turn(); translate.NodeOf(&h.node, &o).Announced[0].Name("n1") != said[0].Name("n1") {
		t.Errorf("begun, it says %+v", translate.NodeOf(&h.node, &o).Announced)
	}
	h.events = ""
	if turn(); len(translate.NodeOf(&h.node, &o).Announced) != 0 {
		t.Errorf("over, it says %+v", translate.NodeOf(&h.node, &o).Announced)
	}
}
