package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What happened to a node last stands first, and what there is no room for has a link.
func TestANodesLastEventsComeFirst(t *testing.T) {
	h := open(t, nil).furnish()
	const node = "tiger-h200-i2-003"
	for i := range 45 {
		h.clock.Add(int64(time.Minute))
		state := []fleet.NodeState{fleet.Quarantined, fleet.Healthy}[i%2]
		h.do(core.SetNodes{Names: []string{node}, State: state, Signal: fmt.Sprintf("sign %d.", i)})
	}
	_, body := h.get("/node/" + node)
	list := between(body, `aria-label="Events"`, "</section>")
	if last, one := strings.Index(list, "sign 44."), strings.Index(list, "sign 40."); last < 0 || one < last {
		t.Errorf("the last event stands at %d, an earlier one at %d", last, one)
	}
	has(t, body, "/events?about="+node, "Earlier events of this node")
}

// The reason that was typed into a form is what the node's page gives.
func TestANodesPageGivesTheReasonOfItsState(t *testing.T) {
	h := open(t, nil).furnish()
	const node = "tiger-h200-i2-003"
	_, done := h.change("drain", url.Values{"nodes": {node}})
	has(t, done, "In maintenance since", ", set by ", ": the story.")
	if strings.Contains(done, "Drain nodes, by") {
		t.Error("the title of a form is told as a signal")
	}
}

// A mistyped filter leaves the form standing, and says what it could be.
func TestAMistypedKindKeepsTheForm(t *testing.T) {
	h := open(t, nil).furnish()
	for path, want := range map[string]string{"/events?kind=evict": "did you mean replicas.evicted?", "/events?since=soonish": `Since: &#34;soonish&#34; is not a moment; write one such as`} {
		code, body := h.get(path)
		if code != http.StatusBadRequest {
			t.Errorf("%s is answered with %d", path, code)
		}
		has(t, body, want, `action="/events"`, `role="alert"`)
		if strings.Contains(body, "kinds[0]") || strings.Contains(body, "Correct the address") {
			t.Errorf("%s speaks of an address that was not typed", path)
		}
	}
}

// A page that says where work would run says how to submit it.
func TestWhatWouldRunCanBeSubmitted(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/part/places?gpus=8&replicas=2&namespace=oak")
	has(t, body, "muster submit --name NAME --gang 2x8 -n oak --target ")
	_, body = h.get("/part/places?gpus=8&replicas=2&namespace=oak&bears=30s")
	has(t, body, "muster submit --name NAME --gang 2x8 -n oak --bears-freeze 30s --target ")
	_, body = h.get("/run?gpus=8&namespace=oak&bears=soon")
	has(t, body, `name="bears" value="soon"`, "Bears a freeze of: &#34;soon&#34; is not a length of time; write one such as 30s or 2m")
}

// At the width of a telephone a table of what is wrong is stacked, and not cut.
func TestTablesOfWhatIsWrongAreStacked(t *testing.T) {
	h := open(t, nil).furnish()
	h.do(core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 104, Gang: 48})
	h.clock.Add(int64(time.Hour))
	h.do(core.SetNodes{Names: []string{"tiger-h200-i1-001", "tiger-h200-i1-002", "tiger-h200-i1-003", "tiger-h200-i2-001", "tiger-h200-i2-002", "tiger-h200-i2-003"}, State: fleet.Quarantined, Signal: "XID 79"})
	for _, one := range [][2]string{
		{"/", "Grants that are not kept"},
		{"/", "Clusters"},
		{"/part/uptime", "Targets"},
		{"/part/ladder?target=research/oak", "The queue as a table"},
		{"/part/kept?quota=research/oak", "Promises kept"},
		{"/haircuts", "Assigned and proposed, as a table"},
		{"/promise", "Spares"},
		{"/part/timeline?quota=research/oak&window=1h", "tiger/h200 as a table"},
		{"/partition/tiger/h200", "Islands"},
		{"/partition/tiger/h200", "Backing by island"},
		{"/part/compare", "Policies side by side"},
	} {
		path, label := one[0], one[1]
		_, body := h.get(path)
		if table := between(body, `aria-label="`+label+`">`, "</thead>"); !strings.Contains(table, "stacks") {
			t.Errorf("%s: the table %s is not stacked", path, label)
		}
	}
}
